package lottery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// probes is how many calls may try a source that was left alone, at the same time.
const probes = 3

// circuits leaves a source alone that failed several times in a row, so that a system that is down is not
// made worse, and a worker does not wait for its timeout again and again. A game's other sources go on.
type circuits struct {
	failures uint32
	pause    time.Duration

	mu   sync.Mutex
	byID map[string]*gobreaker.CircuitBreaker[*reply]
}

// of returns the circuit of a source, which is its name and where it leads to.
func (c *circuits) of(id string) *gobreaker.CircuitBreaker[*reply] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil || len(c.byID) > maxCircuits {
		c.byID = map[string]*gobreaker.CircuitBreaker[*reply]{}
	}
	breaker, ok := c.byID[id]
	if !ok {
		breaker = gobreaker.NewCircuitBreaker[*reply](gobreaker.Settings{
			Name: id, MaxRequests: probes, Timeout: c.pause,
			ReadyToTrip: func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= c.failures },
			// An answer that refuses or has no result still shows that the system works.
			IsSuccessful: func(err error) bool { return !errors.Is(err, ErrUnavailable) },
			IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
		})
		c.byID[id] = breaker
	}
	return breaker
}

// maxCircuits bounds the sources that are remembered.
const maxCircuits = 1_000
