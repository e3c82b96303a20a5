package app

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/platform/config"
)

// askOps returns the answer of the listener of monitors.
func (a *App) askOps(t *testing.T, path string, roles ...Role) (status int, text string) {
	t.Helper()
	handler, err := a.opsHandler(roles)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
	body, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.Code, string(body)
}

// Prometheus reads of the api what its monitor sampled, and of a worker its own state only.
func TestMonitorsReadEveryRole(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a, err := Open(t.Context(), settings(env), config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	a.stores.objects = env.Objects
	require.NoError(t, a.services.ledger.RecordVerification(t.Context(), ledger.VerifyOutcome{Took: time.Second, Checks: 80, Broken: 2}))

	status, text := a.askOps(t, "/metrics", RoleAPI)
	require.Equal(t, http.StatusOK, status)
	require.NotContains(t, text, "banca_outbox_rows", "nothing was sampled yet")
	a.health.Sample(t.Context())
	_, text = a.askOps(t, "/metrics", RoleAPI)
	for _, line := range []string{
		`banca_dependency_up{dependency="postgres"} 1`, `banca_dependency_up{dependency="objects"} 1`, `banca_queue_tasks{queue="critical",state="pending"} 0`,
		"banca_ledger_broken_checks 2", "banca_outbox_rows 0", "banca_workers 0", "banca_scheduler_leader 0", "banca_bank_last_good_call_timestamp_seconds 0",
		`banca_pool_connections{pool="postgres",state="most"} `, "promhttp_metric_handler_errors_total",
	} {
		assert.Contains(t, text, line)
	}
	_, text = a.askOps(t, "/metrics", RoleWorker)
	assert.Contains(t, text, `banca_pool_connections{pool="redis",state="idle"} `)
	assert.NotContains(t, text, "banca_outbox_rows")
}

// A worker says whether it runs and whether its stores answer.
func TestMonitorsAskForReadiness(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	redis := testkit.StartRedis(t)
	cfg := settings(env)
	cfg.Redis.RedisURL = config.Secret(redis.URL())
	a, err := Open(t.Context(), cfg, config.Mode(RoleScheduler), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	status, text := a.askOps(t, "/readyz", RoleScheduler)
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"status":"ok","checks":{"postgres":"ok","redis":"ok","schema":"ok"}}`, text)
	redis.Kill()
	require.Eventually(t, func() bool {
		status, text = a.askOps(t, "/readyz", RoleScheduler)
		return status == http.StatusServiceUnavailable
	}, testkit.WaitTimeout, 20*time.Millisecond)
	assert.JSONEq(t, `{"status":"failed","checks":{"postgres":"ok","redis":"failed","schema":"ok"}}`, text)
	status, text = a.askOps(t, "/healthz", RoleScheduler)
	assert.Equal(t, http.StatusOK, status, "it runs")
	assert.JSONEq(t, `{"status":"ok","checks":{}}`, text)
	status, _ = a.askOps(t, "/sales/tickets", RoleScheduler)
	assert.Equal(t, http.StatusNotFound, status)
}

// A port that is taken is named with its variable.
func TestTheListenerOfMonitorsIsTaken(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	cfg := settings(env)
	cfg.Telemetry.OpsAddr = taken.Addr().String()
	a, err := Open(t.Context(), cfg, config.Mode(RoleScheduler), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	require.ErrorContains(t, a.Run(t.Context(), func() {}, RoleScheduler), "OPS_ADDR")
}
