package embedded

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestStackKeepsDataOverARestart(t *testing.T) {
	needServers(t)
	defer goleak.VerifyNone(t)
	ctx, dir := t.Context(), dataDir(t)

	first, err := Start(ctx, testOptions(dir))
	require.NoError(t, err)
	assert.True(t, first.RedisDurable)
	writeEverywhere(t, first)
	secret, err := first.Secrets.Get("token", func() string { return "first" })
	require.NoError(t, err)
	children := pids(first)
	require.NoError(t, first.Stop(ctx))
	require.NoError(t, first.Stop(ctx), "stopping twice is harmless")
	for _, pid := range children {
		assert.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH, "child %d is gone", pid)
	}

	second, err := Start(ctx, testOptions(dir))
	require.NoError(t, err)
	defer func() { require.NoError(t, second.Stop(ctx)) }()
	assertWritten(t, second)
	assert.Equal(t, first.PostgresURL, second.PostgresURL)
	assert.Equal(t, first.RedisURL, second.RedisURL)
	assert.Equal(t, first.S3Endpoint, second.S3Endpoint)
	again, err := second.Secrets.Get("token", func() string { return "second" })
	require.NoError(t, err)
	assert.Equal(t, secret, again)
}

func TestStackStartsAgainAfterAKill(t *testing.T) {
	needServers(t)
	t.Parallel()
	for _, wait := range []bool{true, false} {
		name := map[bool]string{true: "when the children are gone", false: "at once"}[wait]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, dir := t.Context(), dataDir(t)
			cmd := exec.CommandContext(ctx, os.Args[0], stackSubcommand, dir)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			line, err := bufio.NewReader(out).ReadBytes('\n')
			require.NoError(t, err)
			var report stackReport
			require.NoError(t, json.Unmarshal(line, &report))
			writeEverywhere(t, report.Stack)
			awaitRedisWritten(t, report.Stack)
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait())

			if wait {
				for _, pid := range report.PIDs {
					require.Eventually(t, func() bool { return gone(pid) }, time.Minute, 10*time.Millisecond,
						"child %d outlives its killed parent", pid)
				}
			}
			s, err := Start(ctx, testOptions(dir))
			require.NoError(t, err)
			defer func() { require.NoError(t, s.Stop(ctx)) }()
			assertWritten(t, s)
		})
	}
}

func TestStacksRunSideBySide(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx := t.Context()
	one, err := Start(ctx, testOptions(dataDir(t)))
	require.NoError(t, err)
	defer func() { require.NoError(t, one.Stop(ctx)) }()
	two, err := Start(ctx, testOptions(dataDir(t)))
	require.NoError(t, err)
	defer func() { require.NoError(t, two.Stop(ctx)) }()

	writeEverywhere(t, one)
	writeEverywhere(t, two)
	assert.NotEqual(t, one.S3SecretKey, two.S3SecretKey)
}

func TestDataDirHasOneUser(t *testing.T) {
	t.Parallel()
	ctx, o := t.Context(), testOptions(dataDir(t))
	o.SkipPostgres, o.SkipRedis, o.SkipS3 = true, true, true
	s, err := Start(ctx, o)
	require.NoError(t, err)

	_, err = Start(ctx, o)
	require.ErrorIs(t, err, ErrDataDirInUse)
	assert.ErrorContains(t, err, o.DataDir)
	assert.ErrorContains(t, err, "DATA_DIR")

	require.NoError(t, s.Stop(ctx))
	s, err = Start(ctx, o)
	require.NoError(t, err)
	require.NoError(t, s.Stop(ctx))
}

func TestStackReportsAPartThatDies(t *testing.T) {
	needServers(t)
	t.Parallel()
	ctx, o := t.Context(), testOptions(dataDir(t))
	o.SkipPostgres, o.SkipS3 = true, true
	s, err := Start(ctx, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop(ctx)) }()
	require.NoError(t, syscall.Kill(pids(s)[0], syscall.SIGKILL))
	select {
	case err := <-s.Failed():
		assert.ErrorContains(t, err, "redis")
	case <-time.After(time.Minute):
		t.Fatal("nobody noticed")
	}
}

func TestFailedStartLeavesNothingRunning(t *testing.T) {
	needServers(t)
	t.Parallel()
	o := testOptions(dataDir(t))
	require.NoError(t, os.MkdirAll(o.DataDir, 0o711))
	require.NoError(t, os.WriteFile(filepath.Join(o.DataDir, "s3"), nil, 0o600), "a file where the store needs a directory")
	_, err := Start(t.Context(), o)
	require.ErrorContains(t, err, "embedded s3")
	assert.Empty(t, findProcesses(func(argv []string) bool { return strings.Contains(strings.Join(argv, " "), o.DataDir) }))
}

// writeEverywhere leaves one value in each part.
func writeEverywhere(t *testing.T, s *Stack) {
	t.Helper()
	ctx := t.Context()
	withPostgres(t, s.PostgresURL, func(conn *pgx.Conn) {
		_, err := conn.Exec(ctx, `CREATE TABLE kept (value text)`)
		require.NoError(t, err)
		_, err = conn.Exec(ctx, `INSERT INTO kept VALUES ('ñandú')`)
		require.NoError(t, err)
	})
	withRedis(t, s.RedisURL, func(c *redis.Client) { require.NoError(t, c.Set(ctx, "kept", "1", 0).Err()) })
	withS3(t, s, func(c *minio.Client) {
		require.NoError(t, c.MakeBucket(ctx, "kept", minio.MakeBucketOptions{}))
		body := bytes.NewReader([]byte("body"))
		_, err := c.PutObject(ctx, "kept", "a/b", body, body.Size(), minio.PutObjectOptions{ContentType: "text/plain"})
		require.NoError(t, err)
	})
}

// awaitRedisWritten waits until Redis has handed everything to the operating system, where it survives a kill.
func awaitRedisWritten(t *testing.T, s *Stack) {
	t.Helper()
	withRedis(t, s.RedisURL, func(c *redis.Client) {
		require.Eventually(t, func() bool {
			info, err := c.Info(t.Context(), "persistence").Result()
			return err == nil && strings.Contains(info, "aof_buffer_length:0") && strings.Contains(info, "aof_pending_bio_fsync:0")
		}, time.Minute, 10*time.Millisecond)
	})
}

// assertWritten finds what writeEverywhere left.
func assertWritten(t *testing.T, s *Stack) {
	t.Helper()
	ctx := t.Context()
	withPostgres(t, s.PostgresURL, func(conn *pgx.Conn) {
		var value string
		require.NoError(t, conn.QueryRow(ctx, `SELECT upper(value) FROM kept`).Scan(&value))
		assert.Equal(t, "ÑANDÚ", value)
	})
	withRedis(t, s.RedisURL, func(c *redis.Client) { assert.Equal(t, "1", c.Get(ctx, "kept").Val()) })
	withS3(t, s, func(c *minio.Client) {
		object, err := c.GetObject(ctx, "kept", "a/b", minio.GetObjectOptions{})
		require.NoError(t, err)
		defer func() { require.NoError(t, object.Close()) }()
		body, err := io.ReadAll(object)
		require.NoError(t, err)
		assert.Equal(t, "body", string(body))
		info, err := object.Stat()
		require.NoError(t, err)
		assert.Equal(t, "text/plain", info.ContentType)
	})
}

func withPostgres(t *testing.T, url string, fn func(*pgx.Conn)) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	fn(conn)
}

func withRedis(t *testing.T, url string, fn func(*redis.Client)) {
	t.Helper()
	opts, err := redis.ParseURL(url)
	require.NoError(t, err)
	c := redis.NewClient(opts)
	defer func() { require.NoError(t, c.Close()) }()
	fn(c)
}

func withS3(t *testing.T, s *Stack, fn func(*minio.Client)) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := minio.New(strings.TrimPrefix(s.S3Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(s.S3AccessKey, s.S3SecretKey, ""), Transport: transport,
	})
	require.NoError(t, err)
	fn(c)
}
