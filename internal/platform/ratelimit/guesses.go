package ratelimit

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
)

// Guesses bounds wrong guesses of a secret over all processes. The caller compares the guess first, which is cheap,
// and calls Count before it tells the outcome to anyone. So concurrent guesses are judged one after the other, and
// right ones, of which there may be many at once, are not counted. Attempts that are expensive to compare, such as
// passwords, are counted before the comparison instead: see package auth.
type Guesses struct {
	redis   redis.UniversalClient
	clock   clock.Clock
	timeout time.Duration // of a judgement
}

// NewGuesses returns the judge of guesses.
func NewGuesses(client redis.UniversalClient, clk clock.Clock) *Guesses {
	return &Guesses{redis: client, clock: clk, timeout: countTimeout}
}

// WithTimeout sets how long a guess waits for Redis, a second by default, and returns g. It must be called before g is
// used. Tests of many concurrent guesses on few cores need a longer one.
func (g *Guesses) WithTimeout(timeout time.Duration) *Guesses {
	g.timeout = timeout
	return g
}

// Subject is what wrong guesses are counted for: Wrong of them may be made within Window of the first one.
type Subject struct {
	Key    string
	Wrong  int
	Window time.Duration
}

// countScript returns the milliseconds left to wait; or it counts a wrong guess, and returns how many more may be made, as a number that is not above 0.
// The time is the caller's.
//
//nolint:gochecknoglobals // a constant in all but name
var countScript = redis.NewScript(`
local now, window = tonumber(ARGV[1]), tonumber(ARGV[3])
local seen = redis.call('HMGET', KEYS[1], 'since', 'n')
local since, n = tonumber(seen[1] or now), tonumber(seen[2] or 0)
if now - since >= window then since, n = now, 0 end
if n >= tonumber(ARGV[2]) then return since + window - now end
if ARGV[4] == '0' then
	redis.call('HSET', KEYS[1], 'since', since, 'n', n + 1)
	redis.call('PEXPIRE', KEYS[1], 2 * window)
	n = n + 1
end
return n - tonumber(ARGV[2])`)

// Count counts a wrong guess for the subjects in their order, the narrowest first, up to the first one over its
// bound, and returns how long that one must wait: then the guess must be refused, right or wrong, as if it had not
// been compared. A guess that a narrow subject's bound refuses does not count for the wider ones, so one caller
// cannot fill the bound of all.
func (g *Guesses) Count(ctx context.Context, right bool, subjects ...Subject) (time.Duration, error) {
	wait, _, err := g.Judge(ctx, right, subjects...)
	return wait, err
}

// Judge is Count, and returns how many wrong guesses are left before one of the subjects must wait.
func (g *Guesses) Judge(ctx context.Context, right bool, subjects ...Subject) (wait time.Duration, left int, err error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	verdict := "0"
	if right {
		verdict = "1"
	}
	left = math.MaxInt
	for _, s := range subjects {
		judged, err := countScript.Run(ctx, g.redis, []string{s.Key}, g.clock.Now().UnixMilli(), s.Wrong, s.Window.Milliseconds(), verdict).Int64()
		if err != nil {
			return 0, 0, fmt.Errorf("judge guess: %w", err)
		}
		if judged > 0 {
			return time.Duration(judged) * time.Millisecond, 0, nil
		}
		left = min(left, int(-judged))
	}
	return 0, left, nil
}

// countTimeout is the default bound of how long a guess waits for Redis.
const countTimeout = time.Second
