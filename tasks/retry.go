package tasks

import "time"

// firstDelay is the wait before the first retry: long enough for a failover's first packets, short
// enough that a customer still waits for his receipt.
const firstDelay = time.Second

// defaultMaxDelay bounds the delay of an unknown kind.
const defaultMaxDelay = time.Minute

// RetryDelay returns how long to wait after the n-th failure (counted from 0) of a task of this kind:
// 1 s, 2 s, 4 s, ... up to the kind's MaxDelay. asynq's own delays grow to days, by which time a draw is
// long over. There is no jitter: workers already take tasks one by one, at random intervals.
func RetryDelay(n int, kind string) time.Duration {
	limit := defaultMaxDelay
	if spec, ok := SpecOf(kind); ok {
		limit = spec.MaxDelay
	}
	delay := firstDelay
	for range n {
		if delay >= limit {
			return limit
		}
		delay *= 2
	}
	return min(delay, limit)
}
