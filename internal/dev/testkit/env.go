package testkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"banca/internal/dev/testkit/lockorder"
	"banca/storage"
)

const (
	cleanupTimeout = 20 * time.Second
	testPoolConns  = 24
)

// Env is one test's share of the stack. Nothing in it is visible to other tests, and all of it is gone when
// the test has ended.
type Env struct {
	PG      *storage.Postgres // a migrated database
	Redis   redis.UniversalClient
	Objects *storage.Objects // a bucket
	Private *storage.Objects // another one, readable by signed addresses only
	Log     *slog.Logger     // to the test's log

	PostgresURL string
	RedisURL    string

	bucket string
}

// ObjectSettings returns the variables by which a process uses the buckets of the test.
func (e *Env) ObjectSettings() []string {
	return []string{
		"S3_ENDPOINT=" + shared.stack.S3Endpoint, "S3_ACCESS_KEY=" + shared.stack.S3AccessKey, "S3_SECRET_KEY=" + shared.stack.S3SecretKey, "S3_BUCKET=" + e.bucket,
	}
}

// New returns an environment for the test, starting the stack if this is the first test to ask. The tables of sales
// are divided as they are after some months, when the first partition, which has indexes of its own, has left.
func New(t testing.TB) *Env {
	t.Helper()
	if err := shared.ready(); err != nil {
		unavailable(t, err)
	}
	return newEnv(t, dividedDatabase)
}

// NewUndivided is like New, with a database that has the migrations only: all present rows are in the first partition.
func NewUndivided(t testing.TB) *Env {
	t.Helper()
	if err := shared.ready(); err != nil {
		unavailable(t, err)
	}
	return newEnv(t, migratedDatabase(t))
}

// migratedDatabase returns the name of the stack's own database, which no test uses.
func migratedDatabase(t testing.TB) string {
	t.Helper()
	config, err := pgx.ParseConfig(shared.stack.PostgresURL)
	check(t, err)
	return config.Database
}

// newEnv returns an environment whose database is a copy of template.
func newEnv(t testing.TB, template string) *Env {
	t.Helper()
	env := &Env{Log: newLogger(t)}
	n := shared.serial.Add(1)
	env.openPostgres(t, n, template)
	env.openRedis(t)
	env.openObjects(t, n)
	return env
}

// openPostgres opens a copy of the template that is dropped at the test's end.
func (e *Env) openPostgres(t testing.TB, n int64, template string) {
	t.Helper()
	name := fmt.Sprintf("test_%d", n)
	cloneDatabase(t, name, template)
	cleanup(t, func(ctx context.Context) error {
		_, err := shared.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		return err
	})
	var err error
	e.PostgresURL, err = databaseURL(shared.stack.PostgresURL, name)
	check(t, err)
	e.PG = openPostgres(t, e.PostgresURL, e.Log)
}

// cloneDatabase copies a database. Copying files is quicker than replaying the log of a copy, the default, as long as
// nothing is synced to disk.
func cloneDatabase(t testing.TB, name, template string) {
	t.Helper()
	_, err := shared.admin.Exec(t.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s%s", name, pgx.Identifier{template}.Sanitize(), cloneStrategy(t)))
	check(t, err)
}

// cloneStrategy asks for copied files where that can be chosen; before version 15 it was the only way.
func cloneStrategy(t testing.TB) string {
	t.Helper()
	var version int
	check(t, shared.admin.QueryRow(t.Context(), "SELECT current_setting('server_version_num')::int").Scan(&version))
	if version < 150000 {
		return ""
	}
	return " STRATEGY file_copy"
}

// openPostgres opens a client that is closed at the test's end. A transaction that took locks in another order than
// storage declares fails the test, and so does a statement that no index serves in a partition of a divided table.
func openPostgres(t testing.TB, address string, log *slog.Logger, tracers ...pgx.QueryTracer) *storage.Postgres {
	t.Helper()
	order, statements := lockorder.New(), &plans{seen: &shared.statements}
	db, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{
		URL: address, MaxConns: testPoolConns, Logger: log, Tracers: append(tracers, order, statements),
	})
	check(t, err)
	cleanup(t, func(ctx context.Context) error {
		for _, violation := range order.Violations() {
			t.Error("testkit: order of locks: ", violation)
		}
		return errors.Join(statements.check(ctx, t, db), db.Close())
	})
	return db
}

// Connect returns a second client of the test's database, as another process has.
func (e *Env) Connect(t testing.TB) *storage.Postgres {
	t.Helper()
	return openPostgres(t, e.PostgresURL, e.Log)
}

// openRedis borrows one of the numbered databases and gives it back empty.
func (e *Env) openRedis(t testing.TB) {
	t.Helper()
	var number int
	select {
	case number = <-shared.redisDB:
	case <-t.Context().Done():
		t.Fatal("testkit: no Redis database is free")
	}
	u, err := url.Parse(shared.stack.RedisURL)
	check(t, err)
	query := url.Values{"db": {strconv.Itoa(number)}}
	u.RawQuery = query.Encode()
	e.RedisURL = u.String()
	query.Set("read_timeout", RedisTimeout.String())
	query.Set("write_timeout", RedisTimeout.String())
	u.RawQuery = query.Encode()
	e.Redis, err = storage.OpenRedis(t.Context(), u.String())
	check(t, err)
	cleanup(t, func(ctx context.Context) error {
		if err := e.Redis.FlushDB(ctx).Err(); err != nil {
			return err // and the number stays out of use
		}
		shared.redisDB <- number
		return e.Redis.Close()
	})
}

func (e *Env) openObjects(t testing.TB, n int64) {
	t.Helper()
	e.bucket = fmt.Sprintf("test-%d", n)
	e.Objects = openBucket(t, e.bucket, false)
	e.Private = openBucket(t, e.bucket+"-private", true)
}

func openBucket(t testing.TB, name string, private bool) *storage.Objects {
	t.Helper()
	objects, err := storage.OpenObjects(t.Context(), storage.ObjectsOptions{
		Endpoint:  shared.stack.S3Endpoint,
		AccessKey: shared.stack.S3AccessKey,
		SecretKey: shared.stack.S3SecretKey,
		Bucket:    name,
		Private:   private,
	})
	check(t, err)
	cleanup(t, func(context.Context) error { objects.Close(); return nil }) // files go with the stack
	return objects
}

// cleanup registers a cleanup with a context of its own, because the test's is cancelled by then.
func cleanup(t testing.TB, end func(ctx context.Context) error) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), cleanupTimeout)
		defer cancel()
		if err := end(ctx); err != nil {
			t.Error("testkit: cleanup: ", err)
		}
	})
}

// check ends the test on an error of the test's own equipment.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal("testkit: ", err)
	}
}

// WaitingForLocks returns the number of sessions of the test's database that wait for a lock.
func (e *Env) WaitingForLocks(t testing.TB) (n int) {
	t.Helper()
	check(t, e.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n))
	return n
}

// OpenObserved opens a client of the test's database whose order of locks does not fail the test.
func OpenObserved(t testing.TB, env *Env) (*storage.Postgres, *lockorder.Tracer) {
	t.Helper()
	order := lockorder.New()
	pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{
		URL: env.PostgresURL, MaxConns: testPoolConns, Tracers: []pgx.QueryTracer{order},
	})
	check(t, err)
	cleanup(t, func(context.Context) error { return pg.Close() })
	return pg, order
}
