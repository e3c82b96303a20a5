package requestlog

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
)

// running is a recorder that writes to a test's database.
type running struct {
	*Recorder

	env  *testkit.Env
	log  *Log
	stop func() // and waits
}

func run(t *testing.T) *running {
	t.Helper()
	env := testkit.New(t)
	r := &running{Recorder: NewRecorder(clock.System{}), env: env, log: New(env.PG, 48*time.Hour)}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { r.Run(ctx, env.PG.SessionConfig(), slog.New(slog.DiscardHandler)) })
	r.stop = func() { cancel(); wg.Wait() }
	t.Cleanup(r.stop)
	return r
}

// userID is the user that sends the recorded requests.
const userID = "01900000-0000-7000-8000-000000000001"

func (r *running) record(n int) {
	for i := range n {
		r.Record(&Entry{At: time.Now().UTC(), Method: "GET", Path: "/games", Route: "/games", Status: 200 + i%2*300, Took: time.Duration(i) * time.Microsecond, Address: netip.MustParseAddr("10.0.0.7"), UserID: uuid.MustParse(userID)})
	}
}

func (r *running) rows(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, r.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM request_logs`).Scan(&n))
	return n
}

func (r *running) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := r.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func (r *running) await(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, testkit.WaitTimeout, 5*time.Millisecond)
}

// All rows are written, also the last ones, and are listed by pages and filters.
func TestWhatIsRecordedIsWritten(t *testing.T) {
	t.Parallel()
	r := run(t)
	const n = 3*batchRows + 7
	r.record(n)
	r.stop()
	assert.Equal(t, n, r.rows(t))
	stats := r.Stats()
	assert.EqualValues(t, n, stats.Written)
	assert.Zero(t, stats.Dropped)
	assert.Zero(t, stats.Buffered)
	assert.Len(t, r.Recent(), maxRecent)

	var all []uuid.UUID
	f := Filter{Class: 5, Method: "GET", Prefix: "/ga", From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Limit: 200}
	for {
		list, next, err := r.log.List(t.Context(), &f)
		require.NoError(t, err)
		for i := range list {
			assert.Equal(t, 500, list[i].Status)
			assert.Equal(t, netip.MustParseAddr("10.0.0.7"), list[i].Address)
			assert.Equal(t, userID, list[i].UserID.String())
			all = append(all, list[i].ID)
			assert.True(t, len(all) < 2 || all[len(all)-1].String() < all[len(all)-2].String(), "the newest first, none twice")
		}
		if next == uuid.Nil {
			break
		}
		f.Before = next
	}
	assert.Len(t, all, n/2)
	for _, f := range []Filter{{Class: 4, Limit: 10}, {Method: "POST", Limit: 10}, {Least: time.Second, Limit: 10}, {Prefix: "/games/", Limit: 10}, {From: time.Now().Add(time.Hour), Limit: 10}, {To: time.Now().Add(-time.Hour), Limit: 10}} {
		list, next, err := r.log.List(t.Context(), &f)
		require.NoError(t, err)
		assert.Empty(t, list)
		assert.Equal(t, uuid.Nil, next)
	}
}

// While the table is locked, rows wait; beyond the buffer they are dropped and counted. Recording never waits.
func TestALockedTableLosesNoMoreThanTheBufferCannotHold(t *testing.T) {
	t.Parallel()
	r := run(t)
	lock, err := r.env.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	r.record(batchRows)
	r.await(t, func() bool { return r.env.WaitingForLocks(t) == 1 })
	begin := time.Now()
	r.record(2 * maxBuffered)
	assert.Less(t, time.Since(begin), writeTimeout, "recording waits for nothing")
	stats := r.Stats()
	assert.Equal(t, maxBuffered, stats.Buffered)
	assert.EqualValues(t, batchRows+maxBuffered, stats.Dropped)
	assert.False(t, stats.DroppedAt.IsZero())
	require.NoError(t, lock.Rollback(t.Context()))
	r.stop()
	assert.Equal(t, maxBuffered, r.rows(t))
}

// A full disk is an error of each statement: nothing is lost once there is room again.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	r := run(t)
	r.exec(t, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`)
	r.exec(t, `CREATE TRIGGER full_disk BEFORE INSERT ON request_logs FOR EACH ROW EXECUTE FUNCTION full_disk()`)
	r.record(10)
	r.await(t, func() bool { return r.Stats().WriteFailed })
	assert.Equal(t, 10, r.Stats().Buffered)
	r.exec(t, `DROP TRIGGER full_disk ON request_logs`)
	r.stop()
	assert.Equal(t, 10, r.rows(t))
	assert.False(t, r.Stats().WriteFailed)
}

// A batch whose answer was lost is written again without a second row.
func TestABatchIsWrittenOnce(t *testing.T) {
	t.Parallel()
	r := run(t)
	r.stop()
	r.record(5)
	batch := r.batch()
	w := newWriter(r.env.PG.SessionConfig())
	defer w.close(t.Context())
	require.NoError(t, w.write(t.Context(), batch))
	require.NoError(t, w.write(t.Context(), batch))
	assert.Equal(t, 5, r.rows(t))
}

// Partitions are made ahead, also by a writer that finds none, and dropped when all their rows are too old.
func TestPartitions(t *testing.T) {
	t.Parallel()
	r := run(t)
	r.stop()
	partitions := func() (n int) {
		require.NoError(t, r.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_inherits WHERE inhparent = 'request_logs'::regclass`).Scan(&n))
		return n
	}
	r.exec(t, `DO $$ DECLARE p text; BEGIN FOR p IN SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'request_logs'::regclass LOOP EXECUTE 'DROP TABLE ' || p; END LOOP; END $$`)
	assert.Zero(t, partitions())
	r.record(3)
	w := newWriter(r.env.PG.SessionConfig())
	defer w.close(t.Context())
	require.NoError(t, r.flush(t.Context(), w))
	assert.Equal(t, 3, r.rows(t), "the writer made the partition")

	r.exec(t, `SELECT request_logs_prepare((now() AT TIME ZONE 'UTC')::date - 5, 3)`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := r.log.Trim(t.Context())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, daysAhead+1, partitions(), "today and the next days; the older ones are beyond the retention")
	assert.Equal(t, 3, r.rows(t))
}

// A row of a day without a partition, such as one of a connection that was open for days, holds up no other row of
// its batch.
func TestARowOfAnotherDayHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	r := run(t)
	r.stop()
	now := time.Now().UTC()
	for _, at := range []time.Time{now, now.AddDate(0, 0, -40), now.AddDate(0, 0, 12), now} {
		r.Record(&Entry{At: at, Method: "GET", Path: "/ws", Status: 101, Address: netip.MustParseAddr("fe80::1%eth0")})
	}
	w := newWriter(r.env.PG.SessionConfig())
	defer w.close(t.Context())
	require.NoError(t, r.flush(t.Context(), w))
	list, _, err := r.log.List(t.Context(), &Filter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 4)
	assert.WithinDuration(t, now.AddDate(0, 0, 12), list[0].At, time.Second, "the order is that of the time")
	assert.WithinDuration(t, now.AddDate(0, 0, -40), list[3].At, time.Second)
	list, _, err = r.log.List(t.Context(), &Filter{From: now.Add(-time.Minute), To: now.Add(time.Minute), Limit: 10})
	require.NoError(t, err)
	assert.Len(t, list, 2)
}

func TestRecordingHasNoRaces(t *testing.T) {
	t.Parallel()
	r := run(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { r.record(500) })
		wg.Go(func() { r.Recent(); r.Stats() })
	}
	wg.Wait()
	r.stop()
	assert.Equal(t, 4_000, r.rows(t))
}

func BenchmarkRecord(b *testing.B) {
	r := NewRecorder(clock.System{})
	e := &Entry{Method: "POST", Path: "/sales/tickets", Status: 201}
	for b.Loop() {
		r.Record(e)
		if len(r.buffer) == maxBuffered {
			r.written(maxBuffered, nil)
		}
	}
}
