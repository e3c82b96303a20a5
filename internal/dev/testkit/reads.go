package testkit

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/storage"
)

const readsApplication = "testkit-reads"

// BlocksRead runs fn with a client of its own and returns the number of blocks of a table and its indexes that the
// statements of that client read, from memory or disk. It bounds the reads of a statement where a bound on its time
// would depend on the machine. No other client may use the table meanwhile.
func (e *Env) BlocksRead(t testing.TB, table string, fn func(pg *storage.Postgres)) int64 {
	t.Helper()
	e.quiet(t, table)
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
	e.awaitEnd(t, "application_name = $1", readsApplication) // a backend reports its reads when it ends
	return e.blocks(t, table) - before
}

// quiet ends all other readers of the table, and backends that have not reported their reads yet: autovacuum, and the
// connections that wrote the table.
func (e *Env) quiet(t testing.TB, table string) {
	t.Helper()
	for _, partition := range e.partitions(t, table) {
		_, err := e.PG.Pool.Exec(t.Context(), "ALTER TABLE "+partition+" SET (autovacuum_enabled = false)")
		check(t, err)
	}
	var now time.Time
	check(t, e.PG.Pool.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&now))
	e.PG.Pool.Reset()
	e.PG.Commits.Reset()
	e.awaitEnd(t, "backend_start < $1", now)
}

// partitions are the quoted names of the tables that hold the rows of a table: itself, or its partitions.
func (e *Env) partitions(t testing.TB, table string) []string {
	t.Helper()
	rows, err := e.PG.Pool.Query(t.Context(), `SELECT $1::text::regclass::text UNION SELECT relid::regclass::text FROM pg_partition_tree($1::text::regclass)
		EXCEPT SELECT oid::regclass::text FROM pg_class WHERE relkind = 'p'`, pgx.Identifier{table}.Sanitize())
	check(t, err)
	partitions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	if len(partitions) == 0 {
		t.Fatalf("no table %s", table)
	}
	return partitions
}

func (e *Env) blocks(t testing.TB, table string) (n int64) {
	t.Helper()
	check(t, e.PG.Pool.QueryRow(t.Context(), `SELECT sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0))::bigint
		FROM pg_statio_user_tables WHERE relid = ANY ($1::text[]::regclass[])`, e.partitions(t, table)).Scan(&n))
	return n
}

// awaitEnd waits until the other backends of the test's database that a condition with one parameter names have ended.
func (e *Env) awaitEnd(t testing.TB, condition string, arg any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), WaitTimeout)
	defer cancel()
	for {
		var running int
		check(t, e.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND `+condition, arg).Scan(&running))
		if running == 0 {
			return
		}
		select {
		case <-ctx.Done():
			check(t, fmt.Errorf("%d other backends still run", running))
		case <-time.After(5 * time.Millisecond):
		}
	}
}
