package test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/embedded"
	"banca/internal/dev/testkit"
)

// backup runs scripts/backup.sh and restore.sh as the account of a Postgres server.
type backup struct {
	t    *testing.T
	dir  string
	url  string
	as   *syscall.SysProcAttr
	root string
}

// startPostgres starts a server with a write-ahead log that can be received, and returns its address.
func startPostgres(t *testing.T, dir string) string {
	t.Helper()
	server, err := embedded.StartPostgres(t.Context(), embedded.PostgresOptions{Dir: dir, SharedBuffersMB: 32, MaxWALSizeMB: 128})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.Stop(context.WithoutCancel(t.Context()))) })
	return server.URL()
}

func newBackup(t *testing.T) *backup {
	t.Helper()
	root := testkit.Dir(t)
	b := &backup{t: t, root: root, dir: filepath.Join(root, "backup"), as: &syscall.SysProcAttr{Setpgid: true}}
	b.url = startPostgres(t, filepath.Join(root, "postgres"))
	require.NoError(t, os.Mkdir(b.dir, 0o700))
	if info, err := os.Stat(filepath.Join(root, "postgres")); os.Geteuid() == 0 {
		require.NoError(t, err)
		owner, ok := info.Sys().(*syscall.Stat_t)
		require.True(t, ok)
		b.as.Credential = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
		require.NoError(t, os.Chown(b.dir, int(owner.Uid), int(owner.Gid)))
	}
	return b
}

// script is a call of a copy of a script: the account cannot reach the repository everywhere.
func (b *backup) script(name string, args ...string) *exec.Cmd {
	b.t.Helper()
	for _, file := range []string{"backup.sh", "restore.sh"} {
		text, err := os.ReadFile("../scripts/" + file)
		require.NoError(b.t, err)
		require.NoError(b.t, os.WriteFile(filepath.Join(b.root, file), text, 0o644)) // read by the account
	}
	cmd := exec.Command("bash", append([]string{filepath.Join(b.root, name)}, args...)...)
	cmd.Dir, cmd.SysProcAttr = "/", b.as
	cmd.Env = append(os.Environ(), "BACKUP_DIR="+b.dir, "BACKUP_URL="+b.url)
	return cmd
}

func (b *backup) run(name string, args ...string) string {
	b.t.Helper()
	out, err := b.script(name, args...).CombinedOutput()
	require.NoError(b.t, err, string(out))
	return strings.TrimSpace(string(out))
}

// receive receives the log until the returned function is called.
func (b *backup) receive() (stop func()) {
	b.t.Helper()
	cmd := b.script("backup.sh", "wal")
	require.NoError(b.t, cmd.Start())
	end := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); _ = cmd.Wait() }
	b.t.Cleanup(end)
	b.eventually("SELECT coalesce(bool_or(active), false) FROM pg_replication_slots")
	return end
}

// eventually waits until a query answers true.
func (b *backup) eventually(query string, args ...any) {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), b.url)
	require.NoError(b.t, err)
	defer func() { assert.NoError(b.t, conn.Close(context.WithoutCancel(b.t.Context()))) }()
	require.Eventually(b.t, func() (yes bool) {
		return conn.QueryRow(b.t.Context(), query, args...).Scan(&yes) == nil && yes
	}, testkit.WaitTimeout, 20*time.Millisecond, query)
}

func (b *backup) text(query string) (text string) {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), b.url)
	require.NoError(b.t, err)
	defer func() { assert.NoError(b.t, conn.Close(context.WithoutCancel(b.t.Context()))) }()
	require.NoError(b.t, conn.QueryRow(b.t.Context(), query).Scan(&text))
	return text
}

// emptyDirectory makes a directory of the account.
func (b *backup) emptyDirectory(name string) string {
	b.t.Helper()
	dir := filepath.Join(b.root, name)
	require.NoError(b.t, os.Mkdir(dir, 0o700))
	if b.as.Credential != nil {
		require.NoError(b.t, os.Chown(dir, int(b.as.Credential.Uid), int(b.as.Credential.Gid)))
	}
	return dir
}

// The database is restored to an instant between two sales, into a stack whose Redis and object store are empty: what was sold before
// is there with its keys, what was sold after is not, everything is sound, and the system sells on.
func TestRestoreToAnInstant(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	b := newBackup(t)
	stop := b.receive()
	p := newEmptyPlatform(t)
	p.env = []string{"DATABASE_URL=" + b.url}
	p.start()
	base := filepath.Base(b.run("backup.sh", "base"))
	b.run("backup.sh", "check")

	cashier := p.login("taquilla@banca.test")
	draw := p.openDraw(cashier)
	ids := map[string]any{}
	sell := func(key string) {
		sold := p.sell(cashier, draw, key)
		require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
		ids[key] = sold.data()["id"]
	}
	for n := range 3 {
		sell(fmt.Sprintf("before-%d", n))
	}
	b.eventually(`SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD"T"HH24MISS"Z"') > $1`, base)
	at := b.text(`SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"')`)
	sell("after-0")
	require.NoError(t, p.interrupt())
	b.text("SELECT pg_switch_wal()::text")
	end := b.text("SELECT pg_logical_emit_message(false, 'backup', 'of the next file')::text") // so that the log is received past the instant's file
	b.eventually("SELECT coalesce(bool_or(flush_lsn >= $1::pg_lsn), false) FROM pg_stat_replication", end)
	stop()
	b.run("backup.sh", "prune")
	b.requireGapsFound()

	restored := *b
	target := b.emptyDirectory("restored")
	b.run("restore.sh", target, at)
	out, err := b.script("restore.sh", target, at).CombinedOutput()
	require.Error(t, err, "a directory that is not empty")
	require.Contains(t, string(out), "is not empty")
	requireFetched(t, target, filepath.Join(b.dir, "wal"))
	restored.url = startPostgres(t, target)
	restored.eventually("SELECT NOT pg_is_in_recovery()")
	requireSoundAs(t, env, restored.url)

	p = newEmptyPlatform(t)
	p.env = []string{"DATABASE_URL=" + restored.url}
	p.start()
	cashier = p.login("taquilla@banca.test")
	for key, id := range ids {
		again := p.sell(cashier, draw, key)
		require.Equal(t, http.StatusCreated, again.status, string(again.raw))
		if before := strings.HasPrefix(key, "before-"); before {
			require.Equal(t, "true", again.header.Get("Idempotent-Replayed"), key)
			require.Equal(t, id, again.data()["id"], key)
			continue
		}
		require.Empty(t, again.header.Get("Idempotent-Replayed"), key)
		require.NotEqual(t, id, again.data()["id"], key)
	}
	require.NoError(t, p.interrupt())
	requireSoundAs(t, env, restored.url)
	requireRestorableAgain(t, &restored)
}

// A service that is started again and again in one evening makes one copy a day, so that the copies and the log of the last week stay.
func TestRestartsKeepAWeekOfCopies(t *testing.T) {
	t.Parallel()
	b := newBackup(t)
	stop := b.receive()
	defer stop()
	const name = "20060102T150405Z"
	now := time.Now().UTC()
	newest := b.run("backup.sh", "base")
	label, err := os.ReadFile(filepath.Join(newest, "backup_label"))
	require.NoError(t, err)
	want := []string{filepath.Base(newest)}
	for ago := 1; ago <= 6; ago++ {
		copied := b.emptyDirectory(filepath.Join("backup", "base", now.AddDate(0, 0, -ago).Format(name)))
		require.NoError(t, os.WriteFile(filepath.Join(copied, "backup_label"), label, 0o644)) // read by the account
		want = append([]string{filepath.Base(copied)}, want...)
	}
	at := now.Add(-2 * time.Hour)
	for range 3 {
		b.daily(at)
		require.Equal(t, want, b.copies())
	}
	missed := filepath.Join(b.dir, "base", at.Add(-time.Minute).Format(name))
	require.NoError(t, os.Rename(newest, missed))
	b.daily(at)
	copies := b.copies()
	require.Len(t, copies, 7)
	require.Equal(t, append(want[1:6:6], filepath.Base(missed)), copies[:6], "the copy that is due replaces the oldest")
	b.daily(at)
	require.Equal(t, copies, b.copies())
}

// daily runs the service that makes a copy a day until it waits for the next one.
func (b *backup) daily(at time.Time) {
	b.t.Helper()
	stubs := filepath.Join(b.root, "stubs")
	require.NoError(b.t, os.MkdirAll(stubs, 0o755))                                                         // entered by the account
	require.NoError(b.t, os.WriteFile(filepath.Join(stubs, "sleep"), []byte("#!/bin/sh\nexit 9\n"), 0o755)) // run by the account
	cmd := b.script("backup.sh", "daily")
	cmd.Env = append(cmd.Env, "BACKUP_AT="+at.Format("15:04"), "PATH="+stubs+":"+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	require.Equal(b.t, 9, cmd.ProcessState.ExitCode(), string(out))
	require.NotContains(b.t, string(out), "failed")
}

func (b *backup) copies() (names []string) {
	b.t.Helper()
	list, err := os.ReadDir(filepath.Join(b.dir, "base"))
	require.NoError(b.t, err)
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names
}

// requireGapsFound requires that a segment that is missing in the log is named, by the check and before a restore to the end of the log.
func (b *backup) requireGapsFound() {
	b.t.Helper()
	require.Contains(b.t, b.run("backup.sh", "walk"), "it was received until 20")
	segments, err := filepath.Glob(filepath.Join(b.dir, "wal", "0000000100000000????????"))
	require.NoError(b.t, err)
	require.Greater(b.t, len(segments), 1)
	gap := segments[0]
	require.NoError(b.t, os.Rename(gap, gap+".away"))
	for _, call := range [][]string{{"backup.sh", "walk"}, {"restore.sh", b.emptyDirectory("gap")}} {
		out, err := b.script(call[0], call[1:]...).CombinedOutput()
		require.Error(b.t, err)
		require.Contains(b.t, string(out), filepath.Base(gap)+" is missing")
	}
	require.NoError(b.t, os.Rename(gap+".away", gap))
}

// requireRestorableAgain requires a server that was restored to an instant to be backed up into the directory that it came from, where the log of before
// goes on behind the instant, and to be restored from there to the end of its own log.
func requireRestorableAgain(t *testing.T, b *backup) {
	t.Helper()
	stop := b.receive()
	aside, err := filepath.Glob(filepath.Join(b.dir, "wal-*"))
	require.NoError(t, err)
	require.Len(t, aside, 1, "the log of before is kept for the copies of before")
	b.run("backup.sh", "base")
	b.run("backup.sh", "check")
	b.text("SELECT pg_switch_wal()::text")
	const state = "SELECT count(*) || ' tickets, ' || max(created_at) FROM tickets"
	sold, end := b.text(state), b.text("SELECT pg_current_wal_insert_lsn()::text")
	b.eventually("SELECT coalesce(bool_or(flush_lsn >= $1::pg_lsn), false) FROM pg_stat_replication", end)
	stop()
	again := *b
	target := b.emptyDirectory("again")
	b.run("restore.sh", target)
	again.url = startPostgres(t, target)
	again.eventually("SELECT NOT pg_is_in_recovery()")
	require.Equal(t, sold, again.text(state))
}

// requireFetched runs the command by which a restored server fetches its log: a file that is absent is the end of the log (status 1), and one that
// cannot be copied is not, but ends the start of the server (a status above 125).
func requireFetched(t *testing.T, data, wal string) {
	t.Helper()
	settings, err := os.ReadFile(filepath.Join(data, "postgresql.auto.conf"))
	require.NoError(t, err)
	found := regexp.MustCompile(`restore_command = '(.*)'`).FindSubmatch(settings)
	require.NotNil(t, found)
	names, err := os.ReadDir(wal)
	require.NoError(t, err)
	to := t.TempDir()
	for _, c := range []struct {
		file, to string
		status   int
	}{{names[0].Name(), filepath.Join(to, "file"), 0}, {"absent", filepath.Join(to, "file"), 1}, {names[0].Name(), filepath.Join(to, "missing", "file"), 126}} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.NewReplacer("%f", c.file, "%p", c.to).Replace(string(found[1])))
		_ = cmd.Run()
		require.Equal(t, c.status, cmd.ProcessState.ExitCode(), c)
	}
}
