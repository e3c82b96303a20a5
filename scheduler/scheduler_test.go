package scheduler_test

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/scheduler"
	"banca/tasks"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	waitTimeout  = testkit.WaitTimeout
	pollInterval = 10 * time.Millisecond
)

// everySecond is a table that a test can watch.
func everySecond() []scheduler.Entry {
	return []scheduler.Entry{
		{Name: "second", Every: "* * * * * *", Args: tasks.LedgerFold{}},
		{Name: "start", Every: "@hourly", Args: tasks.DrawGenerate{}, AtStart: true},
	}
}

// start runs a scheduler until the returned function, or the test's end, stops it.
func start(t *testing.T, env *testkit.Env) (s *scheduler.Scheduler, stop func()) {
	t.Helper()
	return startAt(t, env, clock.System{})
}

// startAt is start by a clock of the test's.
func startAt(t *testing.T, env *testkit.Env, clk clock.Clock) (s *scheduler.Scheduler, stop func()) {
	t.Helper()
	s, err := scheduler.New(scheduler.Config{Session: env.PG.SessionConfig(), Entries: everySecond(), Clock: clk, Log: env.Log})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return s, stop
}

// leaders counts the schedulers that lead.
func leaders(all []*scheduler.Scheduler) (n int) {
	for _, s := range all {
		if s.Leading() {
			n++
		}
	}
	return n
}

// ticks returns when the ticks of each second were written, oldest first.
func ticks(t *testing.T, env *testkit.Env) []time.Time {
	t.Helper()
	rows, err := env.PG.Pool.Query(t.Context(), "SELECT created_at FROM outbox WHERE kind = 'ledger.fold' ORDER BY created_at")
	require.NoError(t, err)
	times, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	require.NoError(t, err)
	return times
}

// endLeader cuts off the session that holds the lock and returns how many there were.
func endLeader(t *testing.T, env *testkit.Env) int64 {
	t.Helper()
	tag, err := env.PG.Pool.Exec(t.Context(), `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()`)
	require.NoError(t, err)
	return tag.RowsAffected()
}

func TestOneLeaderTicksAndAnotherTakesOver(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	began := time.Now()
	var all []*scheduler.Scheduler
	for range 3 {
		s, _ := start(t, env)
		all = append(all, s)
	}
	require.Eventually(t, func() bool { return leaders(all) == 1 && len(ticks(t, env)) >= 3 }, waitTimeout, pollInterval)

	require.EqualValues(t, 1, endLeader(t, env), "exactly one session holds the lock")
	before := len(ticks(t, env))
	require.Eventually(t, func() bool { return leaders(all) == 1 && len(ticks(t, env)) >= before+3 }, waitTimeout, pollInterval)

	// The first tick may be one that was made up; a late tick is written close to the next.
	assert.LessOrEqual(t, len(ticks(t, env)), int(time.Since(began).Seconds())+2, "one tick a second")
	var starts int
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE kind = 'draw.generate'").Scan(&starts))
	assert.GreaterOrEqual(t, starts, 2, "each leader begins with its start entries")
}

func TestAStoppedLeaderReleasesItsLeadership(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	first, stop := start(t, env)
	require.Eventually(t, first.Leading, waitTimeout, pollInterval)
	second, _ := start(t, env)
	time.Sleep(1500 * time.Millisecond)
	assert.False(t, second.Leading())
	stop()
	assert.False(t, first.Leading())
	require.Eventually(t, second.Leading, waitTimeout, pollInterval)
}

// TestTwoLeadersDeriveTheSameIDs runs schedulers in two databases, where both lead.
func TestTwoLeadersDeriveTheSameIDs(t *testing.T) {
	t.Parallel()
	one, two := testkit.New(t), testkit.New(t)
	start(t, one)
	start(t, two)
	require.Eventually(t, func() bool { return len(ticks(t, one)) >= 4 && len(ticks(t, two)) >= 4 }, waitTimeout, pollInterval)
	theirs := ids(t, two)
	assert.True(t, slices.ContainsFunc(ids(t, one), func(id string) bool { return slices.Contains(theirs, id) }))
}

func ids(t *testing.T, env *testkit.Env) []string {
	t.Helper()
	rows, err := env.PG.Pool.Query(t.Context(), "SELECT id::text FROM outbox WHERE kind = 'ledger.fold'")
	require.NoError(t, err)
	result, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return result
}

// TestAClockThatIsSetBackDoesNotStopTheTicks: a machine whose clock was an hour fast and is put right goes on
// ticking at once, and not an hour later.
func TestAClockThatIsSetBackDoesNotStopTheTicks(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	fast := clock.NewFake(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC))
	startAt(t, env, fast)
	require.Eventually(t, func() bool { return len(ticks(t, env)) == 1 }, waitTimeout, pollInterval)
	fast.Advance(-time.Hour)
	require.Eventually(t, func() bool { fast.Advance(time.Second); return len(ticks(t, env)) >= 3 }, waitTimeout, 300*time.Millisecond)
}
