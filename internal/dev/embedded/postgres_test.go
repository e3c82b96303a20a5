package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPickPostgres(t *testing.T) {
	t.Parallel()
	dirs := []string{"/opt/pg/bin", "/usr/lib/postgresql/17/bin", "/usr/lib/postgresql/15/bin", "/usr/pgsql-9/bin"}
	for _, tc := range []struct{ name, version, want string }{
		{"no cluster yet: the first", "", dirs[0]},
		{"a directory without a version may fit", "16", dirs[0]},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := pickPostgres(dirs, tc.version)
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}

	got, err := pickPostgres(dirs[1:], "15")
	require.NoError(t, err)
	assert.Equal(t, dirs[2], got, "a cluster opens with its own version only")
	_, err = pickPostgres(dirs[1:], "16")
	require.ErrorIs(t, err, ErrPostgresMissing)
	assert.ErrorContains(t, err, "PostgreSQL 16")
	_, err = pickPostgres(nil, "")
	require.ErrorIs(t, err, ErrPostgresMissing)
	assert.ErrorContains(t, err, "apt-get install postgresql")
}

func TestMajorVersion(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]int{
		"/usr/lib/postgresql/15/bin": 15, "/usr/pgsql-17/bin": 17, "/usr/libexec/postgresql16": 16, "/usr/local/bin": 0,
	} {
		assert.Equal(t, want, majorVersion(dir), dir)
	}
}

func TestLeftoverPostgresIsStopped(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx, o := t.Context(), PostgresOptions{Dir: dataDir(t), NoFsync: true, SharedBuffersMB: 16}
	first, err := StartPostgres(ctx, o)
	require.NoError(t, err)
	withPostgres(t, first.URL(), func(conn *pgx.Conn) {
		_, err := conn.Exec(ctx, `CREATE TABLE kept (value int)`)
		require.NoError(t, err)
	})

	second, err := StartPostgres(ctx, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, second.Stop(ctx)) }()
	<-first.Done()
	withPostgres(t, second.URL(), func(conn *pgx.Conn) {
		_, err := conn.Exec(ctx, `INSERT INTO kept VALUES (1)`)
		require.NoError(t, err)
	})
}

func TestStaleLockFileOfALivingProcessIsForgotten(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx, o := t.Context(), PostgresOptions{Dir: dataDir(t), NoFsync: true, SharedBuffersMB: 16}
	p, err := StartPostgres(ctx, o)
	require.NoError(t, err)
	lock := filepath.Join(p.Dir(), "postmaster.pid")
	held, err := os.ReadFile(lock)
	require.NoError(t, err)
	require.NoError(t, p.Stop(ctx))

	// The pid of a server that is gone now belongs to a process of the same account, as after a
	// container's restart.
	sleeper, err := startChild(childSpec{
		name: "sleep", argv: []string{"/bin/sleep", "60"}, as: mustAccount(t, p.Dir()), stop: 15, log: loggerFor(nil, ""),
	})
	require.NoError(t, err)
	defer sleeper.Kill()
	stale := append([]byte(itoa(sleeper.PID())), held[len(itoa(p.PID())):]...)
	require.NoError(t, os.WriteFile(lock, stale, 0o600))
	require.NoError(t, mustAccount(t, p.Dir()).own(lock))

	p, err = StartPostgres(ctx, o)
	require.NoError(t, err)
	require.NoError(t, p.Stop(ctx))
}

func TestPostgresBelowAPrivateDirectory(t *testing.T) {
	needServers(t)
	if os.Geteuid() != 0 {
		t.Skip("only root's servers run as another account")
	}
	t.Parallel()
	ctx, home := t.Context(), t.TempDir()
	require.NoError(t, os.Chmod(home, 0o700))
	o := PostgresOptions{Dir: filepath.Join(home, "var", "postgres"), NoFsync: true, SharedBuffersMB: 16}
	p, err := StartPostgres(ctx, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(p.Dir())) }()
	require.NoError(t, p.Stop(ctx))

	target, err := os.Readlink(o.Dir)
	require.NoError(t, err)
	assert.Equal(t, p.Dir(), target)
	assert.Equal(t, sharedStateDir, filepath.Dir(target))
	again, err := StartPostgres(ctx, o)
	require.NoError(t, err)
	require.NoError(t, again.Stop(ctx))
	assert.Equal(t, p.URL(), again.URL())
}

func TestADirectoryWithoutAClusterIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "letter.txt"), nil, 0o600))
	assert.ErrorContains(t, initCluster(t.Context(), "", dir, account{}, PostgresOptions{NoFsync: true}), "no cluster")
}
