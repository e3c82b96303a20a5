package testkit

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"banca/internal/dev/embedded"
)

// StartPrimary starts a Postgres with a migrated database that standbys can follow, for this test alone.
func StartPrimary(t testing.TB) *PostgresServer {
	t.Helper()
	return startPostgres(t, embedded.PostgresOptions{ // with fsync: without it embedded writes no log that a standby could follow
		Dir: filepath.Join(Dir(t), "var", "postgres"), SharedBuffersMB: sharedBuffers, MaxWALSizeMB: maxWALSize,
	})
}

// Standby is a streaming replica of a test's Postgres.
type Standby struct {
	*Process
	URL string
}

// StartStandby copies the server and starts the copy as its standby. The test's end stops it.
func (s *PostgresServer) StartStandby(t testing.TB) *Standby {
	t.Helper()
	primary, err := pgx.ParseConfig(s.URL())
	check(t, err)
	bin := postgresPrograms(t, s.running.PID())
	as, err := embedded.ServerAccount()
	check(t, err)
	dir := Dir(t)
	data, sockets := filepath.Join(dir, "data"), filepath.Join(dir, "s")
	check(t, embedded.CopyPrimary(t.Context(), s.running, data))
	check(t, os.Mkdir(sockets, 0o700))
	if as != nil {
		check(t, os.Chown(sockets, int(as.Uid), int(as.Gid)))
	}
	u := url.URL{Scheme: "postgres", Path: "/" + primary.Database, RawQuery: url.Values{"host": {sockets}, "user": {primary.User}}.Encode()}
	standby := &Standby{URL: u.String(), Process: startProcessAs(t, as, filepath.Join(bin, "postgres"), "-D", data, "-c", "listen_addresses=",
		"-c", "port=5432", "-c", "unix_socket_directories="+sockets, "-c", "fsync=off", "-c", "shared_buffers="+strconv.Itoa(sharedBuffers)+"MB",
		"-c", "max_connections=200", "-c", "max_locks_per_transaction=256", "-c", "wal_retrieve_retry_interval=100ms",
		"-c", "timezone=UTC")}
	standby.awaitReady(t)
	return standby
}

// Restart starts the standby again after Kill.
func (s *Standby) Restart(t testing.TB) {
	t.Helper()
	s.Start()
	s.awaitReady(t)
}

func (s *Standby) awaitReady(t testing.TB) {
	t.Helper()
	await(t, "the standby answers", func() bool {
		conn, err := pgx.Connect(t.Context(), s.URL)
		if err != nil {
			return false
		}
		return conn.Close(t.Context()) == nil
	})
}

// Connect returns a connection to the standby, which the caller closes.
func (s *Standby) Connect(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.WithoutCancel(t.Context()), s.URL)
	check(t, err)
	return conn
}

// PauseReplay lets the standby receive and not apply what the primary writes, so that it falls behind.
func (s *Standby) PauseReplay(t testing.TB) {
	t.Helper()
	s.exec(t, `SELECT pg_wal_replay_pause()`)
}

// ResumeReplay ends PauseReplay.
func (s *Standby) ResumeReplay(t testing.TB) {
	t.Helper()
	s.exec(t, `SELECT pg_wal_replay_resume()`)
}

func (s *Standby) exec(t testing.TB, sql string) {
	t.Helper()
	conn := s.Connect(t)
	_, err := conn.Exec(t.Context(), sql)
	check(t, err)
	check(t, conn.Close(t.Context()))
}

// postgresPrograms returns the directory of the programs of a running server.
func postgresPrograms(t testing.TB, pid int) string {
	t.Helper()
	program, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	if err == nil {
		return filepath.Dir(program)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the only error is a malformed pattern
	if len(found) == 0 {
		t.Fatal("testkit: no programs of Postgres: ", err)
	}
	return slices.Max(found)
}
