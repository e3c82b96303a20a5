package testkit

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"banca/internal/dev/embedded"
	"banca/internal/dev/procstat"
	"banca/storage"
)

// RedisServer is a Redis of one test's own, for tests of what happens when it fails. Its methods end the test
// on an error and must be called from the test's goroutine.
type RedisServer struct{ faulty[*embedded.Redis] }

// PostgresServer is a Postgres of one test's own with a migrated database, for tests of what happens when it
// fails. Its methods end the test on an error and must be called from the test's goroutine.
type PostgresServer struct{ faulty[*embedded.Postgres] }

// StartRedis starts a Redis for this test alone. The test's end stops it.
func StartRedis(t testing.TB) *RedisServer {
	t.Helper()
	o := embedded.RedisOptions{Dir: filepath.Join(Dir(t), "redis"), Required: true}
	s := &RedisServer{faulty[*embedded.Redis]{t: t, launch: func(ctx context.Context) (*embedded.Redis, error) {
		return embedded.StartRedis(ctx, o)
	}}}
	s.begin()
	return s
}

// StartPostgres starts a Postgres with a migrated database for this test alone. The test's end stops it.
func StartPostgres(t testing.TB) *PostgresServer {
	t.Helper()
	return startPostgres(t, embedded.PostgresOptions{
		Dir: filepath.Join(Dir(t), "var", "postgres"), NoFsync: true, SharedBuffersMB: sharedBuffers, MaxWALSizeMB: maxWALSize,
	})
}

func startPostgres(t testing.TB, o embedded.PostgresOptions) *PostgresServer {
	t.Helper()
	s := &PostgresServer{faulty[*embedded.Postgres]{t: t, launch: func(ctx context.Context) (p *embedded.Postgres, err error) {
		err = withTemplate(ctx, func(cluster string) error { // is copied at the first start only
			o.Template = cluster
			p, err = embedded.StartPostgres(ctx, o)
			return err
		})
		return p, err
	}}}
	s.begin()
	return s
}

// Open opens a client that is closed at the test's end.
func (s *PostgresServer) Open(t testing.TB, log *slog.Logger) *storage.Postgres {
	t.Helper()
	return openPostgres(t, s.URL(), log)
}

// controlled is the real server of a faulty one.
type controlled interface {
	URL() string
	PID() int
	Done() <-chan struct{}
	Stop(ctx context.Context) error
}

// faulty is a server that a test may stop and start again.
type faulty[S controlled] struct {
	t       testing.TB
	launch  func(ctx context.Context) (S, error)
	running S
	stopped []int // processes that Pause stopped
}

// begin starts the server for the first time and registers its end.
func (f *faulty[S]) begin() {
	f.t.Helper()
	f.Start()
	cleanup(f.t, func(ctx context.Context) error {
		f.Resume()
		return f.running.Stop(ctx)
	})
}

// URL returns the server's address, which stays the same over stops and starts.
func (f *faulty[S]) URL() string { return f.running.URL() }

// Start starts the server again after Stop or Kill, with its data, at the same address.
func (f *faulty[S]) Start() {
	f.t.Helper()
	running, err := f.launch(f.t.Context())
	if err != nil {
		unavailable(f.t, err)
	}
	f.running = running
}

// Stop stops the server regularly; its sessions are ended.
func (f *faulty[S]) Stop() {
	f.t.Helper()
	check(f.t, f.running.Stop(f.t.Context()))
}

// Kill ends the server and its sessions without a warning, as a crash does.
func (f *faulty[S]) Kill() {
	f.t.Helper()
	pids := f.halt()
	signal(pids, syscall.SIGKILL)
	<-f.running.Done()
	await(f.t, "the end of all sessions: one holds the shared memory, without which no server starts again", func() bool {
		return !slices.ContainsFunc(pids, alive)
	})
}

// Pause makes the server hang: connections stay open and connecting works, but nothing is answered.
func (f *faulty[S]) Pause() {
	f.t.Helper()
	f.stopped = f.halt()
	signal(f.stopped, syscall.SIGSTOP)
}

// halt stops the server, so that it starts no further sessions, and returns its processes.
func (f *faulty[S]) halt() []int {
	signal([]int{f.running.PID()}, syscall.SIGSTOP)
	return family(f.running.PID())
}

// Resume lets a paused server go on where it was. On a server that is not paused it does nothing.
func (f *faulty[S]) Resume() {
	signal(f.stopped, syscall.SIGCONT)
	f.stopped = nil
}

// family returns a process and its children: a Postgres server has one for each session.
func family(pid int) []int {
	pids := []int{pid}
	for child, p := range procstat.Read() {
		if p.Parent == pid {
			pids = append(pids, child)
		}
	}
	return pids
}

// alive reports whether a process has not ended. One that has ended may wait for its parent to be told.
func alive(pid int) bool {
	p, ok := procstat.Of(pid)
	return ok && p.State != "Z"
}

// signal signals processes; an error means that one has ended meanwhile.
func signal(pids []int, sig syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig)
	}
}
