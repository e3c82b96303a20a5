package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
)

// expire makes a list of 10,001 expired prizes.
func (p *reportsPanel) expire(t *testing.T) {
	t.Helper()
	p.Exec(t, `UPDATE tickets SET status = 'won', prize = 3000, settled_at = $1, expired_at = $1 WHERE entity_id = $2`, fixture.TenTomorrow(), fixture.EntityID(seed.CodeOtherPoint))
	p.Exec(t, `INSERT INTO tickets SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'serial_code', 'LONG' || n))).*
		FROM tickets t, generate_series(1, 10000) n WHERE t.entity_id = $1`, fixture.EntityID(seed.CodeOtherPoint))
}

func TestLongListsAreNotSentAtOnce(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	const page = reportsPath + "/expired-prizes"
	p.expire(t)
	p.Exec(t, `UPDATE tickets SET expired_at = expired_at - interval '10 days' WHERE serial_code = 'LONG1'`)
	require.Contains(t, p.get(page).Body.String(), "format=csv", "10,000 rows are sent at once")
	p.Exec(t, `UPDATE tickets SET expired_at = expired_at + interval '10 days' WHERE serial_code = 'LONG1'`)
	body := p.get(page).Body.String()
	require.Contains(t, body, "Preparar archivo XLSX")
	require.NotContains(t, body, "format=csv")
	w := p.get(page + "?format=csv")
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)

	form := url.Values{
		tokenField: {p.token(t, page)}, "report": {"expired-prizes"}, "format": {"csv"}, "currency": {"VES"}, "from": {p.today}, "to": {p.today}, "key": {uuid.NewString()},
	}
	for range 2 { // pressed twice
		w = p.do(http.MethodPost, reportsPath+"/files", form)
		require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	}
	require.EqualValues(t, 1, p.Number(t, `SELECT count(*) FROM report_exports`))
	var id uuid.UUID
	require.NoError(t, p.PG.Pool.QueryRow(t.Context(), `SELECT id FROM report_exports`).Scan(&id))
	address := reportsPath + "/files/" + id.String()
	require.Contains(t, p.get(reportsPath+"/files").Body.String(), address+"/progress")
	require.Contains(t, p.get(address+"/progress").Body.String(), "hx-get")
	require.Equal(t, http.StatusConflict, p.get(address+"/download").Code)
	require.NoError(t, p.exports.Run(t.Context(), id))
	body = p.get(address + "/progress").Body.String()
	require.Contains(t, body, address+"/download")
	require.NotContains(t, body, "hx-get")
	w = p.get(address + "/download")
	require.Equal(t, http.StatusSeeOther, w.Code)
	require.Contains(t, w.Header().Get("Location"), "X-Amz-Signature=")

	form.Set("report", "users")
	form.Set("key", uuid.NewString())
	require.Equal(t, http.StatusUnprocessableEntity, p.do(http.MethodPost, reportsPath+"/files", form).Code)
	p.enterAs(t, "socio@banca.test")
	require.Equal(t, http.StatusNotFound, p.get(address+"/progress").Code)
	require.Equal(t, http.StatusNotFound, p.get(address+"/download").Code)
	require.NotContains(t, p.get(reportsPath+"/files").Body.String(), id.String())
}

// downloaded says how the first link to a file answers.
const downloaded = `fetch(document.querySelector('main a[href$="/download"]').href, {redirect: "manual"}).then(r => r.type)`

func TestAFileIsPreparedInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupReports(t)
	p.expire(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + reportsPath + "/expired-prizes")
	tab.Follow(`form[action="/admin/reports/files"] button[value=csv]`)
	require.Contains(t, tab.Text("main"), "se está preparando")
	require.Contains(t, tab.Text(".progress"), "Premios vencidos")
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		require.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	var id uuid.UUID
	require.NoError(t, p.PG.Pool.QueryRow(t.Context(), `SELECT id FROM report_exports`).Scan(&id))
	require.NoError(t, p.exports.Run(t.Context(), id))
	tab.Until(`document.querySelector('main a[href$="/download"]') !== null`)
	require.Contains(t, tab.Text(".progress"), "10.001")
	tab.Visit(server + reportsPath + "/files")
	require.Contains(t, tab.Text("tbody"), "Listo")
	require.Equal(t, "opaqueredirect", chromium.Value[string](tab, downloaded))
}
