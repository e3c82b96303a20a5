package ratelimit

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// trip lets scripts that run concurrently share a round trip, which redis_rate does not support: it sends nothing
// before all expected scripts have arrived.
type trip struct {
	redis.UniversalClient // for commands outside the pipeline, such as loading the script

	mu       sync.Mutex
	pipe     redis.Pipeliner
	expected int
	done     chan struct{}
}

func newTrip(client redis.UniversalClient, expected int) *trip {
	return &trip{UniversalClient: client, pipe: client.Pipeline(), expected: expected, done: make(chan struct{})}
}

// EvalSha implements what redis_rate needs of a client.
func (t *trip) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	t.mu.Lock()
	cmd := t.pipe.EvalSha(ctx, sha, keys, args...)
	t.mu.Unlock()
	t.arrive(ctx)
	<-t.done
	return cmd
}

// withdraw reports that one of the expected scripts does not come.
func (t *trip) withdraw(ctx context.Context) { t.arrive(ctx) }

// arrive sends everything when it is the last.
func (t *trip) arrive(ctx context.Context) {
	t.mu.Lock()
	t.expected--
	last := t.expected == 0
	t.mu.Unlock()
	if !last {
		return
	}
	_, _ = t.pipe.Exec(ctx) // each command has its own error
	close(t.done)
}
