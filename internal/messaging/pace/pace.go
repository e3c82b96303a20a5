package pace

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
)

// Lane is a row of messages that follow each other.
type Lane struct {
	Key   string
	Every time.Duration // between two messages; zero for no limit
	Burst int           // messages at once after a rest; at least 1
}

// PerMinute returns a lane of so many messages a minute, of which the share of burst may pass at once; zero means no limit.
func PerMinute(key string, messages int, burst time.Duration) Lane {
	if messages == 0 {
		return Lane{Key: key}
	}
	every := time.Minute / time.Duration(max(messages, 1))
	return Lane{Key: key, Every: every, Burst: max(1, int(burst/every))}
}

// Pacer hands out places.
type Pacer struct {
	redis redis.UniversalClient
	clock clock.Clock
}

// New returns a pacer.
func New(client redis.UniversalClient, clk clock.Clock) *Pacer {
	return &Pacer{redis: client, clock: clk}
}

// timeout bounds a call of Redis.
const timeout = time.Second

// takeScript keeps the instant at which a lane is idle again. The time is the caller's, in microseconds; clocks may
// differ by less than the interval of one message.
//
//nolint:gochecknoglobals // a constant in all but name
var takeScript = redis.NewScript(`
local now, every, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local rest = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0))
local at = math.max(now, rest - (burst - 1) * every)
redis.call('SET', KEYS[1], string.format('%.0f', rest + every), 'PX', math.ceil((rest + every - now) / 1000) + 1000)
return string.format('%.0f', at)`)

// Take takes the next place of a lane and returns its instant, now when there is room.
func (p *Pacer) Take(ctx context.Context, lane Lane) (time.Time, error) {
	now := p.clock.Now()
	if lane.Every <= 0 {
		return now, nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	at, err := takeScript.Run(ctx, p.redis, []string{lane.Key}, now.UnixMicro(), lane.Every.Microseconds(), max(lane.Burst, 1)).Int64()
	if err != nil {
		return time.Time{}, fmt.Errorf("pace: %w", err)
	}
	return time.UnixMicro(at), nil
}
