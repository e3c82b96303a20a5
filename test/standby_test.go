package test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/target"
)

// A whole platform sells on the primary and reads its reports from a streaming standby while that keeps up, and from the primary while it is away.
// Both say the same.
func TestMachinesReportFromAStandby(t *testing.T) {
	target.Only(t, target.Machines)
	env := testkit.New(t)
	primary := testkit.StartPrimary(t)
	standby := primary.StartStandby(t)
	p, ops := newEmptyPlatform(t), freeAddr(t)
	p.env = []string{"DATABASE_URL=" + primary.URL(), "DATABASE_REPLICA_URL=" + standby.URL, "RATE_LIMIT_REQUESTS=1000000", "OPS_ADDR=" + ops}
	p.start()
	cashier, operator := p.login("taquilla@banca.test"), p.login("admin@banca.test")
	draw := p.openDraw(cashier)
	tickets := func() float64 {
		report := p.get("/reports/sales?currency=VES", operator)
		total, _ := report.data()["total"].(map[string]any)
		n, known := total["tickets"].(float64)
		require.True(t, known, string(report.raw))
		return n
	}
	var sold float64
	sell := func(key string) {
		require.Equal(t, http.StatusCreated, p.sell(cashier, draw, key).status)
		sold++
	}
	// reported waits until the reports have what was sold, read from where they should be read.
	reported := func(used string) {
		t.Helper()
		require.Eventually(t, func() bool {
			return strings.Contains(metricsOf(t, ops), "\nbanca_replica_used "+used+"\n") && tickets() == sold
		}, 2*testkit.WaitTimeout, pauseOnFails)
	}
	require.Eventually(t, func() bool { sold = tickets(); return sold > 0 }, testkit.WaitTimeout, pauseOnFails, "the seed has a ticket")
	sell("standby-1")
	sell("standby-2")
	reported("1")
	conn := standby.Connect(t)
	var readers int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'banca-reports'`).Scan(&readers))
	assert.Positive(t, readers, "the reports are read from the standby")
	_ = conn.Close(t.Context()) // the server is killed next

	standby.Kill()
	sell("standby-3")
	reported("0")
	standby.Restart(t)
	sell("standby-4")
	reported("1")
	require.NoError(t, p.interrupt())
	requireSoundAs(t, env, primary.URL())
}

// metricsOf returns what a process answers Prometheus.
func metricsOf(t *testing.T, ops string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ops+"/metrics", http.NoBody)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { assert.NoError(t, res.Body.Close()) }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return string(text)
}
