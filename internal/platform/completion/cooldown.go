package completion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Cool-downs of failures for which the provider names no time.
const (
	coolRateLimited = 30 * time.Second
	coolServer      = 15 * time.Second
	coolAnswer      = 10 * time.Second
	coolAccess      = 30 * time.Minute
	minCool         = time.Second
	coolTimeout     = 500 * time.Millisecond // of a call of Redis
)

// coolDown returns how long a model is left alone after a failure; 0 for not at all.
func coolDown(e *Error) time.Duration {
	var d time.Duration
	switch e.Kind {
	case Access:
		return max(coolAccess, e.RetryAfter)
	case Rejected:
		return 0 // another request may suit it
	case RateLimited:
		d = coolRateLimited
	case Server, Timeout, Network:
		d = coolServer
	default:
		d = coolAnswer
	}
	if e.RetryAfter > 0 {
		d = max(e.RetryAfter, minCool)
	}
	return d
}

// coolDowns are shared by all processes. Without Redis no model cools down.
type coolDowns struct{ redis redis.UniversalClient }

// keyOf is a model's key. A changed address, key or name of the provider is another model, which is tried at once.
func keyOf(m *Model) string {
	sum := sha256.Sum256([]byte(m.URL + "\x00" + m.ID + "\x00" + m.Key))
	const enough = 8
	return "assistant:cool:" + m.Name + ":" + hex.EncodeToString(sum[:enough])
}

// of reports for each model whether it cools down.
func (c *coolDowns) of(ctx context.Context, models []Model) []bool {
	cooling := make([]bool, len(models))
	if len(models) == 0 {
		return cooling
	}
	ctx, cancel := context.WithTimeout(ctx, coolTimeout)
	defer cancel()
	counts := make([]*redis.IntCmd, len(models))
	_, err := c.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range models {
			counts[i] = p.Exists(ctx, keyOf(&models[i]))
		}
		return nil
	})
	if err != nil {
		return cooling
	}
	for i := range counts {
		cooling[i] = counts[i].Val() > 0
	}
	return cooling
}

// set begins a cool-down and reports whether the model had none. A longer one that runs already stays.
func (c *coolDowns) set(ctx context.Context, m *Model, kind Kind, d time.Duration) (bool, error) {
	if d <= 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), coolTimeout)
	defer cancel()
	key := keyOf(m)
	fresh, err := c.redis.SetNX(ctx, key, string(kind), d).Result()
	if err == nil && !fresh {
		err = c.redis.ExpireGT(ctx, key, d).Err()
	}
	if err != nil {
		return fresh, fmt.Errorf("cool down model %s: %w", m.Name, err)
	}
	return fresh, nil
}
