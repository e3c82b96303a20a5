package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

// What a rate must hold to be borne.
const (
	firstRate    = 8.0 // sales a second
	rateFactor   = 1.35
	soldAtLeast  = 0.95        // of the sales that were due
	slowAtMost   = time.Second // 99 of 100 sales
	behindTasks  = 2.0         // seconds of sales that may wait as tasks at the end of a step, beyond some
	someTasks    = 60
	settleWithin = 3 * time.Minute // until the tasks of a step are done
)

// errNoCapacity is the end of a ramp whose first step was not borne.
var errNoCapacity = errors.New("the platform does not bear the lowest rate")

// step is what one rate of a ramp showed.
type step struct {
	rate, done float64 // sales a second
	p99        time.Duration
	waiting    int // tasks, at its end
}

// borne reports whether the platform bears the rate: sales are made when they are due, and workers do what follows from them as fast as it
// comes.
func (s *step) borne() bool {
	return s.done >= soldAtLeast*s.rate && s.p99 <= slowAtMost && float64(s.waiting) <= behindTasks*s.rate+someTasks
}

// ramp sells faster and faster and returns the highest rate that is borne. A step that is not is tried a second time, because the machine
// may have had other work.
func (l *load) ramp(ctx context.Context, each time.Duration) (best float64, err error) {
	defer l.pace.set(0)
	for rate, failed := firstRate, false; ctx.Err() == nil; {
		l.settle(ctx)
		s := l.try(ctx, rate, each)
		say(l.platform.options.Out, "ramp: %5.0f sales/s asked for, %5.0f made, 99 of 100 in %4d ms, %4d tasks wait", s.rate, s.done, s.p99.Milliseconds(), s.waiting)
		switch {
		case s.borne():
			best, failed, rate = rate, false, rate*rateFactor
		case !failed:
			failed = true
		case best == 0:
			return 0, errNoCapacity
		default:
			return best, nil
		}
	}
	return best, ctx.Err()
}

// try sells at a rate for a time.
func (l *load) try(ctx context.Context, rate float64, each time.Duration) *step {
	l.pace.window()
	before, begun := l.pace.total(), time.Now()
	l.pace.set(rate)
	pause(ctx, each)
	s := &step{rate: rate, done: float64(l.pace.total()-before) / time.Since(begun).Seconds(), p99: quantile(l.pace.window(), .99)}
	s.waiting, _ = l.platform.waiting(ctx)
	l.pace.set(0)
	return s
}

// settle waits until few tasks wait.
func (l *load) settle(ctx context.Context) {
	for end := time.Now().Add(settleWithin); ctx.Err() == nil && time.Now().Before(end); pause(ctx, 10*lookEvery) {
		if n, err := l.platform.waiting(ctx); err == nil && n <= someTasks/2 {
			return
		}
	}
}

// waiting counts the tasks that wait: in the outbox, and in queues.
func (s *platform) waiting(ctx context.Context) (n int, err error) {
	err = s.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return c.QueryRow(ctx, `SELECT count(*) FROM outbox`).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("outbox: %w", err)
	}
	err = s.memory.with(s.memory.primary, func(c *redis.Client) error {
		queues, err := c.SMembers(ctx, "asynq:queues").Result()
		for _, queue := range queues {
			n += int(c.LLen(ctx, "asynq:{"+queue+"}:pending").Val())
		}
		return err
	})
	return n, err
}
