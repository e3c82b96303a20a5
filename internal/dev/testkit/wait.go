package testkit

import "time"

// WaitTimeout is how long a test waits for a state that is bound to come. It bounds a hang and measures nothing: a machine
// whose processors are busy with other work, under the race detector, may take many times as long as a quiet one.
const WaitTimeout = 3 * time.Minute

// RedisTimeout bounds one call of a test's client to Redis. Services whose own bound is shorter in production, because a
// caller waits, take it where a test makes many of their calls at once.
const RedisTimeout = 20 * time.Second
