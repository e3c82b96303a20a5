package feed_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/feed"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// setup returns a database with a table of numbers and a reader that counts each number in another table.
func setup(t *testing.T) (*storage.Postgres, *feed.Reader) {
	t.Helper()
	pg := testkit.New(t).PG
	exec(t, pg, `CREATE TABLE numbers (n integer NOT NULL, xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint)`)
	exec(t, pg, `CREATE TABLE counted (n integer PRIMARY KEY, times integer NOT NULL)`)
	return pg, &feed.Reader{
		Name: "numbers", Zone: time.UTC,
		Read: func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
			_, err := tx.Exec(ctx, `INSERT INTO counted AS c (n, times) SELECT n, count(*) FROM numbers WHERE xid >= $1 AND xid < $2 GROUP BY n
				ON CONFLICT (n) DO UPDATE SET times = c.times + excluded.times`, w.From, w.Before)
			return err
		},
		Reset: func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM counted`)
			return err
		},
	}
}

func exec(t *testing.T, pg *storage.Postgres, sql string, args ...any) {
	t.Helper()
	_, err := pg.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// requireEachOnce compares the counted numbers with those that were committed.
func requireEachOnce(t *testing.T, pg *storage.Postgres) {
	t.Helper()
	var missing, wrong int
	require.NoError(t, pg.Pool.QueryRow(t.Context(), `SELECT count(*) FROM numbers LEFT JOIN counted USING (n) WHERE times IS NULL`).Scan(&missing))
	require.NoError(t, pg.Pool.QueryRow(t.Context(), `SELECT count(*) FROM counted LEFT JOIN numbers USING (n) WHERE times <> 1 OR numbers.n IS NULL`).Scan(&wrong))
	require.Zero(t, missing, "numbers that were not read")
	require.Zero(t, wrong, "numbers that were read twice, or rolled back")
}

// advance lets the reader read until it has read all rows. Transactions of other tests in the same cluster may delay
// it.
func advance(t *testing.T, pg *storage.Postgres, reader *feed.Reader) {
	t.Helper()
	require.Eventually(t, func() bool {
		require.NoError(t, reader.Advance(t.Context(), pg))
		var all bool
		require.NoError(t, pg.Pool.QueryRow(t.Context(), `SELECT coalesce(max(xid), 0) < (SELECT position FROM feeds) FROM numbers`).Scan(&all))
		return all
	}, testkit.WaitTimeout, 5*time.Millisecond)
}

var errRolledBack = errors.New("rolled back")

// Writers that commit in any order, some of which are rolled back, and several readers at once.
func TestEachCommittedRowIsReadOnce(t *testing.T) {
	t.Parallel()
	pg, reader := setup(t)
	const writers, each = 6, 40
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				err := pg.InTx(t.Context(), func(tx pgx.Tx) error {
					if _, err := tx.Exec(t.Context(), `INSERT INTO numbers (n) VALUES ($1)`, w*each+i); err != nil {
						return err
					}
					if _, err := tx.Exec(t.Context(), `SELECT pg_sleep($1)`, rand.Float64()*0.02); err != nil {
						return err
					}
					if i%7 == 0 {
						return errRolledBack
					}
					return nil
				})
				if i%7 != 0 && err != nil || i%7 == 0 && !errors.Is(err, errRolledBack) {
					t.Errorf("write: %v", err)
				}
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		reading.Go(func() {
			for {
				if err := reader.Advance(t.Context(), pg); err != nil {
					t.Errorf("advance: %v", err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	advance(t, pg, reader)
	requireEachOnce(t, pg)
}

// A reader that is behind reads window by window, so that none of its statements runs for long.
func TestWindowsAreShort(t *testing.T) {
	t.Parallel()
	pg, reader := setup(t)
	advance(t, pg, reader)
	for n := range 1_200 { // each in a transaction of its own
		exec(t, pg, `INSERT INTO numbers (n) VALUES ($1)`, n)
	}
	read := reader.Read
	reader.Read = func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
		require.LessOrEqual(t, w.Before-w.From, int64(200))
		return read(ctx, tx, w)
	}
	advance(t, pg, reader)
	requireEachOnce(t, pg)
}

// The rows of a transaction that still runs are read after its commit, with those that were committed meanwhile.
func TestALongTransactionDelaysTheReader(t *testing.T) {
	t.Parallel()
	pg, reader := setup(t)
	long, err := pg.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = long.Exec(t.Context(), `INSERT INTO numbers (n) VALUES (1)`)
	require.NoError(t, err)
	exec(t, pg, `INSERT INTO numbers (n) VALUES (2)`)
	require.NoError(t, reader.Advance(t.Context(), pg))
	var counted int
	require.NoError(t, pg.Pool.QueryRow(t.Context(), `SELECT count(*) FROM counted`).Scan(&counted))
	require.Zero(t, counted)
	require.NoError(t, long.Commit(t.Context()))
	advance(t, pg, reader)
	requireEachOnce(t, pg)
}

// A reader whose transaction breaks reads the same rows again.
func TestABrokenReadIsRepeated(t *testing.T) {
	t.Parallel()
	pg, reader := setup(t)
	exec(t, pg, `INSERT INTO numbers (n) VALUES (1), (2)`)
	breaking := *reader
	breaking.Read = func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
		if err := reader.Read(ctx, tx, w); err != nil {
			return err
		}
		return errRolledBack
	}
	require.ErrorIs(t, breaking.Advance(t.Context(), pg), errRolledBack)
	at, err := feed.PositionOf(t.Context(), pg.Pool, "numbers")
	require.NoError(t, err)
	require.Equal(t, feed.Position{}, at)
	advance(t, pg, reader)
	requireEachOnce(t, pg)
	at, err = feed.PositionOf(t.Context(), pg.Pool, "numbers")
	require.NoError(t, err)
	require.Positive(t, at.Xid)
	require.WithinDuration(t, time.Now(), at.ReadAt, time.Minute)
}

func TestAReaderStartsAgain(t *testing.T) {
	t.Parallel()
	pg, reader := setup(t)
	exec(t, pg, `INSERT INTO numbers (n, xid) VALUES (1, 0)`) // older than the column
	exec(t, pg, `INSERT INTO numbers (n) VALUES (2)`)
	advance(t, pg, reader)
	requireEachOnce(t, pg)

	exec(t, pg, `UPDATE counted SET times = 5`)
	require.NoError(t, reader.Rebuild(t.Context(), pg))
	advance(t, pg, reader)
	requireEachOnce(t, pg)

	exec(t, pg, `UPDATE counted SET times = 5`)
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	moved := *reader
	moved.Zone = zone
	advance(t, pg, &moved) // the days of another zone are counted from the first row on
	requireEachOnce(t, pg)

	exec(t, pg, `UPDATE feeds SET position = 1e15`)
	require.ErrorIs(t, moved.Advance(t.Context(), pg), feed.ErrOtherCluster)
}

// A rebuild computes as long as it needs on what it has read; a reader of new rows that hangs loses its transaction.
func TestARebuildIsNotCutShort(t *testing.T) {
	t.Parallel()
	pg, reader := setup(t)
	exec(t, pg, `INSERT INTO numbers (n) VALUES (1)`)
	var bounds []string
	read := reader.Read
	reader.Read = func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
		var bound string
		err := tx.QueryRow(ctx, `SHOW idle_in_transaction_session_timeout`).Scan(&bound)
		bounds = append(bounds, bound)
		return errors.Join(err, read(ctx, tx, w))
	}
	require.NoError(t, reader.Rebuild(t.Context(), pg))
	advance(t, pg, reader)
	exec(t, pg, `INSERT INTO numbers (n) VALUES (2)`)
	advance(t, pg, reader)
	assert.Equal(t, []string{"0", "1min"}, []string{bounds[0], bounds[len(bounds)-1]})
}
