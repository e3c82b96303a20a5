package testkit

import "time"

// Patience is how long a test waits for a state that is bound to come. It bounds a hang and measures nothing: a machine
// whose processors are busy with other work, under the race detector, may take many times as long as a quiet one.
const Patience = 60 * time.Second
