package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
	"banca/models"
)

// recorded returns the stored paths of a method with their statuses.
func (s *leakSuite) recorded(method string) map[string]int {
	s.t.Helper()
	rows, err := s.db.Query(s.t.Context(), `SELECT path, max(status) FROM request_logs WHERE method = $1 GROUP BY 1`, method)
	require.NoError(s.t, err)
	all := map[string]int{}
	for rows.Next() {
		var path string
		var status int
		require.NoError(s.t, rows.Scan(&path, &status))
		all[path] = status
	}
	require.NoError(s.t, rows.Err())
	return all
}

// Sales are as quick as before while the request log cannot be written, and nothing secret is in it afterwards.
func TestARequestLogThatCannotBeWrittenDelaysNoSale(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	s.fill()
	ticket := fmt.Sprintf(`{"currency":"VES","customer":{"name":"Ana","phone":"0414-1234567"},"items":[{"draw_id":%q,"bet_type":"straight","selection":"5","amount":"1.00"}]}`, s.draw)
	sell := func(n int) time.Duration {
		took := make([]time.Duration, n)
		for i := range took {
			begin := time.Now()
			a := s.send(leakCall{
				method: http.MethodPost, path: "/sales/tickets?secret=in-the-query", token: s.tokens["ours "+models.RoleTaquilla], contentType: "application/json", body: strings.NewReader(ticket),
			})
			took[i] = time.Since(begin)
			require.NotEqual(t, http.StatusServiceUnavailable, a.status)
		}
		slices.Sort(took)
		return took[n/2]
	}
	before := sell(40)
	lock, err := s.db.Begin(t.Context())
	require.NoError(t, err)
	_, err = lock.Exec(t.Context(), `LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	waits := func() (n int) {
		require.NoError(t, s.db.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'banca-requests'`).Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { sell(1); return waits() == 1 }, 20*time.Second, time.Millisecond)
	during := sell(40)
	t.Logf("a sale takes %v, and %v while the log is locked", before, during)
	assert.Less(t, during, 3*before+time.Second, "a sale that waits would wait for the lock, which is kept")

	s.send(leakCall{method: http.MethodGet, path: "/t/" + s.ours.serial + "?x=in-the-query"})
	s.send(leakCall{method: http.MethodGet, path: "/nothing/" + strings.Repeat("k", 40)})
	s.send(leakCall{method: http.MethodGet, path: "/healthz"})
	require.NoError(t, lock.Rollback(t.Context()))
	require.Eventually(t, func() bool { _, has := s.recorded(http.MethodGet)["/nothing/…"]; return has }, 20*time.Second, 10*time.Millisecond)
	got := s.recorded(http.MethodGet)
	assert.Contains(t, got, "/t/:serial")
	assert.NotContains(t, got, "/healthz", "of monitors")
	var sellers, strangers int
	require.NoError(t, s.db.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE l.path = '/sales/tickets' AND u.role = $1), count(*) FILTER (WHERE l.path LIKE '/nothing/%' AND l.user_id IS NOT NULL)
		FROM request_logs l LEFT JOIN users u ON u.id = l.user_id`, models.RoleTaquilla).Scan(&sellers, &strangers))
	assert.GreaterOrEqual(t, sellers, 81, "the user of a token")
	assert.Zero(t, strangers)
	var sales, secrets int
	require.NoError(t, s.db.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE path = '/sales/tickets'),
		count(*) FILTER (WHERE path LIKE '%in-the-query%' OR path LIKE '%'||$1||'%') FROM request_logs`, s.ours.serial).Scan(&sales, &secrets))
	assert.GreaterOrEqual(t, sales, 81, "none is lost")
	assert.Zero(t, secrets)
}
