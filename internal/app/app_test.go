package app

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/middleware"
	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/storage"
	"banca/web"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// settings configure a process on the test's Postgres and Redis, and on an object store that is away.
func settings(env *testkit.Env) *config.Config {
	cfg := &config.Config{}
	cfg.Postgres = config.Postgres{DatabaseURL: config.Secret(env.PostgresURL), MaxConns: 4}
	cfg.Redis.RedisURL = config.Secret(env.RedisURL)
	cfg.Objects = config.Objects{Endpoint: "http://127.0.0.1:1", Bucket: "banca", ManageBuckets: true, AccessKey: "k", SecretKey: "s"}
	cfg.Auth = config.Auth{JWTSecret: config.Secret(strings.Repeat("s", 32)), AccessTokenTTL: time.Minute, RefreshTokenTTL: time.Hour, BcryptCost: 4}
	cfg.Business.Zone = time.UTC
	cfg.HTTP.PublicURL, cfg.HTTP.RateLimitRequests, cfg.HTTP.RateLimitWindow = "http://127.0.0.1:8080", 500, time.Minute
	cfg.HTTP.RateLimitDevice, cfg.HTTP.RateLimitPanel = 500, 500
	return cfg
}

// Sales need no object store, so a process that sells starts without it. One that stores receipts does not.
func TestSellingStartsWithoutTheObjectStore(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a, err := Open(t.Context(), settings(env), config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	server, err := a.newAPI(middleware.Panel{}, nil)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	server.Engine().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
	assert.Equal(t, http.StatusOK, w.Code, "and is ready for its customers")
	require.NoError(t, a.Close())

	_, err = Open(t.Context(), settings(env), config.Mode(RoleWorker), env.Log)
	require.Error(t, err)
}

func TestCloseEndsEveryConnection(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	connections := func() int {
		list, err := env.Redis.ClientList(t.Context()).Result()
		require.NoError(t, err)
		database := "db=" + env.RedisURL[strings.LastIndexByte(env.RedisURL, '=')+1:] + " "
		return strings.Count(list, database)
	}
	before := connections()
	a, err := Open(t.Context(), settings(env), config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	queues, err := a.queueMonitors()
	require.NoError(t, err)
	w := httptest.NewRecorder()
	queues.Full.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, web.QueuesPath+"/api/queues", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	require.NoError(t, a.Close())
	assert.Eventually(t, func() bool { return connections() == before }, testkit.WaitTimeout, 20*time.Millisecond)
}

func TestRequestsThatDoNotEndAreCutOff(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}), make(chan struct{})
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(ended)
	})}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }()
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String(), http.NoBody)
		if assert.NoError(t, err) {
			_, err = http.DefaultClient.Do(req) //nolint:bodyclose // there is no answer
			assert.Error(t, err)
		}
	}()
	<-began
	require.ErrorIs(t, shutDown(t.Context(), server, 50*time.Millisecond), context.DeadlineExceeded)
	select {
	case <-ended:
	case <-time.After(testkit.WaitTimeout):
		t.Error("the request goes on")
	}
}

// Libraries that use the process's default logger log in its form, too. Not parallel: that logger is global.
func TestEverythingIsLoggedInOneForm(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	var out bytes.Buffer
	NewLogger(config.Log{Level: "warn", Format: "json"}, &out)
	slog.Default().InfoContext(t.Context(), "quiet")
	slog.Default().WarnContext(t.Context(), "loud")
	assert.Contains(t, out.String(), `"msg":"loud"`)
	assert.NotContains(t, out.String(), "quiet")
}

// A process does not start on a database that lacks migrations of its release, and is not ready while it does.
func TestAnOldSchemaIsRefused(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a, err := Open(t.Context(), settings(env), config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	require.NoError(t, a.checkSchema(t.Context()))
	for _, change := range []string{`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, `DROP TABLE goose_db_version`} {
		_, err = env.PG.Pool.Exec(t.Context(), change)
		require.NoError(t, err)
		require.ErrorIs(t, a.Run(t.Context(), func() {}, RoleAPI), storage.ErrUnmigrated)
		status, text := a.askOps(t, "/readyz", RoleWorker)
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Contains(t, text, `"schema":"failed"`)
		a.health = a.newMonitor() // whose result is not a second old
	}
}
