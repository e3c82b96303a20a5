package scheduler

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/clock"
	"banca/tasks/outbox"
)

const (
	candidacy        = time.Second     // how often a follower asks for the lock
	heartbeat        = 2 * time.Second // how often a leader without a tick checks its session
	statementTimeout = 5 * time.Second // of anything sent to Postgres
)

// Config configures New.
type Config struct {
	// Session configures the scheduler's own session of Postgres, which no pooler may lend to others.
	Session *pgx.ConnConfig
	// Entries is the table; Entries() in production.
	Entries []Entry
	Clock   clock.Clock
	Log     *slog.Logger
	// Wake is called after ticks are written: Notifier.Wake, or nil to leave it to the relays' poll.
	Wake func()
}

// Scheduler ticks while it is the leader.
type Scheduler struct {
	config  Config
	entries []planned
	leading atomic.Bool
}

// New validates the table and returns a scheduler that does nothing until Run.
func New(config Config) (*Scheduler, error) {
	entries, err := compile(config.Entries)
	if err != nil {
		return nil, err
	}
	if config.Wake == nil {
		config.Wake = func() {}
	}
	return &Scheduler{config: config, entries: entries}, nil
}

// Leading reports whether this scheduler believes to be the leader. It may learn of its end a heartbeat
// late, but cannot write a tick in between.
func (s *Scheduler) Leading() bool { return s.leading.Load() }

// Run is a candidate, and from time to time the leader, until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	silent := false // while Postgres is away, one line is enough
	for {
		connected, err := s.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if connected || !silent {
			s.config.Log.WarnContext(ctx, "scheduler: no session", slog.Bool("lost", connected), slog.Any("error", err))
		}
		silent = true
		if clock.Sleep(ctx, candidacy) != nil {
			return
		}
	}
}

// session connects, waits for the lock and leads, until anything fails. Closing the connection gives the lock
// to another scheduler. It reports whether there was a connection.
func (s *Scheduler) session(ctx context.Context) (connected bool, err error) {
	conn, err := connect(ctx, s.config.Session)
	if err != nil {
		return false, err
	}
	defer disconnect(ctx, conn)
	for {
		won, err := tryLock(ctx, conn)
		if err != nil {
			return true, err
		}
		if won {
			return true, s.lead(ctx, conn)
		}
		if clock.Sleep(ctx, candidacy) != nil {
			return true, ctx.Err()
		}
	}
}

// lead ticks until the session fails or ctx ends.
func (s *Scheduler) lead(ctx context.Context, conn *pgx.Conn) error {
	s.leading.Store(true)
	defer s.leading.Store(false)
	s.config.Log.InfoContext(ctx, "scheduler: leading")
	now := s.config.Clock.Now().UTC()
	rows, err := startRows(s.entries, now)
	if err != nil {
		return err
	}
	after := now.Add(-catchUp)
	for {
		due, err := dueRows(s.entries, after, now)
		if err != nil {
			return err
		}
		if err := s.write(ctx, conn, append(rows, due...)); err != nil {
			return err
		}
		rows, after = nil, now
		if clock.Sleep(ctx, s.untilNext(now)) != nil {
			return ctx.Err()
		}
		// A clock that was set back ticks again from where it stands, with the ids of the first time.
		now = s.config.Clock.Now().UTC()
	}
}

// write writes ticks through the session that holds the lock; without ticks it proves that it still does.
func (s *Scheduler) write(ctx context.Context, conn *pgx.Conn, rows []outbox.Row) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	if len(rows) == 0 {
		return conn.Ping(ctx)
	}
	if _, err := outbox.EnqueueOnce(ctx, conn, rows...); err != nil {
		return err
	}
	s.config.Wake()
	return nil
}

// untilNext is how long a leader sleeps: to its next tick, or to the next check of its session.
func (s *Scheduler) untilNext(now time.Time) time.Duration {
	next := nextTick(s.entries, now)
	if next.IsZero() {
		return heartbeat
	}
	return min(max(next.Sub(s.config.Clock.Now()), 0), heartbeat)
}
