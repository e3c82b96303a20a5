package testkit

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"banca/storage"
)

const readsApplication = "testkit-reads"

// BlocksRead runs fn with a client of its own and returns how many blocks of a table and its indexes the statements
// of that client read, from memory or disk. It bounds what a statement reads where a bound on its time would
// depend on the machine. No other client may use the table meanwhile.
func (e *Env) BlocksRead(t testing.TB, table string, fn func(pg *storage.Postgres)) int64 {
	t.Helper()
	before := e.blocks(t, table)
	u, err := url.Parse(e.PostgresURL)
	check(t, err)
	query := u.Query()
	query.Set("application_name", readsApplication)
	u.RawQuery = query.Encode()
	pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: u.String(), MaxConns: testPoolConns, Logger: slog.New(slog.DiscardHandler)})
	check(t, err)
	fn(pg)
	check(t, pg.Close())
	e.awaitBackends(t) // a backend reports what it read when it ends
	return e.blocks(t, table) - before
}

func (e *Env) blocks(t testing.TB, table string) (n int64) {
	t.Helper()
	check(t, e.PG.Pool.QueryRow(t.Context(), `SELECT coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
		FROM pg_statio_user_tables WHERE relname = $1`, table).Scan(&n))
	return n
}

// awaitBackends waits until the backends of BlocksRead's client have ended.
func (e *Env) awaitBackends(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cleanupTimeout)
	defer cancel()
	for {
		var running int
		check(t, e.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`, readsApplication).Scan(&running))
		if running == 0 {
			return
		}
		select {
		case <-ctx.Done():
			check(t, fmt.Errorf("%d backends of a closed client still run", running))
		case <-time.After(5 * time.Millisecond):
		}
	}
}
