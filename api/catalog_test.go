package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/models"
)

const (
	lotto    = "01900000-0000-7000-8000-0000000000a1"
	category = "01900000-0000-7000-8000-0000000000c1"
)

// withGame adds a game with two animals and four draws: one past its stop, three to come.
func withGame(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.exec(t, `INSERT INTO game_categories (id, name, code) VALUES ($1, 'Animalitos', 'ANIMALITOS')`, category)
	b.exec(t, `INSERT INTO games (id, category_id, name, short_code, sale_stop_seconds, betting_rules) VALUES ($1, $2, 'Lotto', 'LA', 300, $3)`, lotto, category,
		`{"bet_types":[{"type":"straight","payout":"30","element_payouts":{"00":"32.5"},"min_stake":{"VES":"1.00"},"max_stake":"500"},{"type":"tripleta","payout":50,"draws":11,"max_per_ticket":3}]}`)
	b.exec(t, `INSERT INTO game_elements (id, game_id, code, name, display_value, position)
		VALUES (gen_random_uuid(), $1, '0', 'Delfín', '0 Delfín', 1), (gen_random_uuid(), $1, '00', 'Ballena', '00 Ballena', 2)`, lotto)
	b.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		SELECT gen_random_uuid(), $1, n::text, (now() + n * interval '1 hour')::date, now() + n * interval '1 hour',
			now() + n * interval '1 hour' - interval '5 minutes', 'open' FROM generate_series(0, 3) n`, lotto)
	return b
}

// Draws have the stop of the caller's entity: its inherited one, unless the draw or its game sets another.
func TestDrawsTellTheCallersStop(t *testing.T) {
	t.Parallel()
	b := withGame(t)
	b.exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 7500}'`) // 2 h 5 min
	b.deps.Services.Org.Forget()
	open := scenario{name: "a game's own stop wins", path: "/draws?status=open&sort=-draw_time", role: models.RoleTaquilla, status: 200, has: []string{`"total":3`}}
	b.run(t, []scenario{open})
	b.exec(t, `UPDATE games SET sale_stop_seconds = NULL`)
	b.deps.Services.Catalog.Forget()
	stop := func(hours, seconds string) string {
		var at time.Time
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT draw_time - make_interval(secs => $2::int) FROM draws WHERE draw_number = $1`, hours, seconds).Scan(&at))
		return `"sale_stop_at":"` + at.UTC().Format(time.RFC3339Nano) + `"`
	}
	open.name, open.has = "the inherited one", []string{`"total":1`, `"draw_number":"3"`, stop("3", "7500")}
	b.run(t, []scenario{open})
	b.exec(t, `UPDATE draws SET sale_stop_explicit = true WHERE draw_number <> '2'`)
	open.name, open.has, open.lacks = "a draw's own stop wins", []string{`"total":2`, stop("3", "300"), stop("1", "300")}, []string{`"draw_number":"2"`}
	b.run(t, []scenario{open})
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	withGame(t).run(t, []scenario{
		{name: "games", path: "/games", role: models.RoleTaquilla, status: 200, has: []string{
			`"category":"ANIMALITOS"`, `"short_code":"LA"`, `"sale_stop_seconds":300`, `"logo_url":null`, `"total":1`,
			`{"type":"straight","payout":"30","element_payouts":{"00":"32.5"},"min_stake":{"VES":"1.00"},"max_stake":{"*":"500"}}`,
			`{"type":"tripleta","payout":"50","max_per_ticket":3,"draws":11}`,
		}},
		{name: "games, beyond the last page", path: "/games?page=9", role: models.RoleSocio, status: 200, has: []string{`"data":[]`, `"page":9`}},
		{name: "elements", path: "/games/" + lotto + "/elements", role: models.RoleTaquilla, status: 200, has: []string{
			`"code":"0","name":"Delfín"`, `"code":"00","name":"Ballena"`, `"total":2`,
		}},
		{name: "elements, one a page", path: "/games/" + lotto + "/elements?page=2&page_size=1", role: models.RoleTaquilla, status: 200,
			has: []string{`"code":"00"`, `{"page":2,"page_size":1,"total":2}`}, lacks: []string{"Delfín"}},
		{name: "elements of nothing", path: "/games/" + category + "/elements", role: models.RoleTaquilla, status: 404, code: "GAME_NOT_FOUND"},
		{name: "elements, no UUID", path: "/games/hunter2/elements", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED", has: []string{`"path.id"`}},
		{name: "open draws", path: "/draws?status=open&game_id=" + lotto, role: models.RoleTaquilla, status: 200, has: []string{`"total":3`, `"draw_number":"1"`, `"sale_stop_at":"`}, lacks: []string{`"draw_number":"0"`}},
		{name: "all draws", path: "/draws?page_size=2", role: models.RoleTaquilla, status: 200, has: []string{`"total":4`}, lacks: []string{`"draw_number":"2"`}},
		{name: "draws of a day", path: "/draws?date=2000-01-01", role: models.RoleTaquilla, status: 200, has: []string{`"data":[]`, `"total":0`}},
		{name: "bad day", path: "/draws?date=2026-02-30", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED", has: []string{`"query.date"`}},
		{name: "bad status", path: "/draws?status=hunter2", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED", lacks: []string{"hunter2"}},
		{name: "page 0", path: "/draws?page=0", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "page too long", path: "/draws?page_size=201", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
		{name: "page beyond reason", path: "/draws?page=99999999999999999999", role: models.RoleTaquilla, status: 422, code: "VALIDATION_FAILED"},
	})
}

func TestTimesAreUTC(t *testing.T) {
	t.Parallel()
	b := withGame(t)
	s := scenario{path: "/draws", role: models.RoleSocio}
	body := b.do(t, s.request()).Body.String()
	assert.Regexp(t, `"draw_time":"[0-9T:.-]+Z"`, body)
	assert.NotContains(t, body, "+00:00")
}

func TestMoney(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const currency = "01900000-0000-7000-8000-0000000000d1"
	b.exec(t, `INSERT INTO currencies (id, code, name, symbol, digits, status) VALUES ($1, 'VES', 'Bolívar', 'Bs', 2, 'inactive')`, currency)
	b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit) VALUES (gen_random_uuid(), $1, $2, 12345)`, b.agency.ID, currency)
	b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit) VALUES (gen_random_uuid(), $1, $2, 99999)`, b.root.ID, currency)
	b.run(t, []scenario{
		{name: "currencies", path: "/currencies", role: models.RoleTaquilla, status: 200, has: []string{`"code":"VES"`, `"digits":2`, `"total":1`}},
		{name: "wallets of the caller's part only", path: "/wallets", role: models.RoleAdmin, status: 200,
			has:   []string{b.agency.ID.String(), `"currency":"VES"`, `"balance":"0.00"`, `"credit_limit":"123.45"`, `"total":1`},
			lacks: []string{b.root.ID.String(), "999.99"}},
	})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	setup(t).run(t, []scenario{
		{name: "alive", path: "/healthz", status: 200, has: []string{`"status":"ok"`}},
		{name: "ready", path: "/readyz", status: 200, has: []string{`"checks":{"postgres":"ok"}`}},
	})
}

func TestBasePath(t *testing.T) {
	t.Parallel()
	deps := setup(t).deps
	deps.BasePath = "/api"
	a, err := New(deps)
	require.NoError(t, err)
	for path, status := range map[string]int{"/api/healthz": 200, "/healthz": 404, "/api/docs": 200, "/api/docs/start.js": 200} {
		w := httptest.NewRecorder()
		a.Engine().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		assert.Equal(t, status, w.Code, path)
	}
	raw, err := a.OpenAPIJSON()
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"servers":[{"url":"https://banca.example.com/api"}]`)
}

// A receipt's QR code names the ticket at the root, wherever the API lies.
func TestTheQRCodeBelowABasePath(t *testing.T) {
	t.Parallel()
	a, err := assemble(Deps{Log: slog.New(slog.DiscardHandler), Clock: clock.System{}, BasePath: "/api"})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	a.Engine().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/T/K7QX9M2P4D6A", http.NoBody))
	require.Equal(t, http.StatusFound, w.Code)
	require.Equal(t, "/api/T/K7QX9M2P4D6A", w.Header().Get("Location"))
}
