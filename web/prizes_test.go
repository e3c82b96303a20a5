package web

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
)

// setupPrizes is the bank's panel with prizes, and a ticket at the first ticket point that won 300.00.
func setupPrizes(t *testing.T) (p *bankPanel, ticket, draw uuid.UUID) {
	t.Helper()
	p = setupBank(t)
	ticket, draw = uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	result, game, ves := uuid.Must(uuid.NewV7()), seed.ID("game", "lotto-activo"), seed.ID("currency", "VES")
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status) VALUES ($1, $2, 'X1', now()::date, clock_timestamp(), now(), 'settled')`, []any{draw, game}},
		{`INSERT INTO results (id, draw_id, version, value, status, origin, source, entered_at, verified_at) VALUES ($1, $2, 1, '5', 'verified', 'fetched', 's', now(), now())`, []any{result, draw}},
		{`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, prize, settled_at, cancel_before, expires_at, created_at)
			SELECT $1, 'K7QX9M2P4D6A', '482913', entity_id, $2, id, currency_id, 'won', 1000, 30000, 30000, now(), clock_timestamp(), now() + interval '3 days', now()
			FROM wallets WHERE entity_id = $3 AND currency_id = $4 AND kind = 'main'`, []any{ticket, seed.ID("user", "taquilla@banca.test"), seed.ID("entity", seed.CodeTicketPoint), ves}},
		{`INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			VALUES ($1, 0, $2, $3, 'straight', '5', 1000, 3000, 30000, 1, '{}')`, []any{ticket, draw, game}},
		{`INSERT INTO winning_lines (ticket_id, line_no, result_id, draw_id, prize, created_at) VALUES ($1, 0, $2, $3, 30000, now())`, []any{ticket, result, draw}},
	} {
		_, err := p.env.PG.Pool.Exec(t.Context(), s.sql, s.args...)
		require.NoError(t, err, s.sql)
	}
	return p, ticket, draw
}

func TestAPrizeIsPaidInThePanel(t *testing.T) {
	t.Parallel()
	p, ticket, draw := setupPrizes(t)
	page := prizesPath + "/" + ticket.String()
	assert.Equal(t, http.StatusSeeOther, p.get(page).Code, "anonymous")
	p.enter(t, "admin@banca.test")
	assert.Contains(t, p.get(prizesPath).Body.String(), "K7QX9M2P4D6A")
	assert.Equal(t, page, p.get(prizesPath+"?serial=k7qx9m2p4d6a").Header().Get("Location"), "a serial code leads to its ticket")
	shown := p.get(page).Body.String()
	assert.Contains(t, shown, "300,00")
	assert.NotContains(t, shown, "X1")
	assert.Regexp(t, `>[^<]+ \d+:\d\d [ap]m</a>`, shown, "the draw is named by its game and hour")
	assert.Contains(t, p.get(prizesPath+"?format=csv").Body.String(), "K7QX9M2P4D6A;Por cobrar")
	assert.Regexp(t, `<a href="/admin/prizes\?status=won" aria-current="true">Por cobrar</a>`, p.get(prizesPath).Body.String(), "the list opens with what is to be collected")
	assert.NotContains(t, p.get(prizesPath+"?status=paid").Body.String(), "K7QX9M2P4D6A")
	assert.Regexp(t, `1 fila · </span>Premio: 300,00 Bs</span></p>`, p.get(prizesPath+"?status=").Body.String())

	assert.Regexp(t, `<dt>Sorteo</dt><dd>Lotto Activo \d+:\d\d [ap]m</dd>\s*<dt>Liquidado</dt>`, shown)
	list := p.get(prizesPath + "?status=").Body.String()
	assert.Regexp(t, `>Lotto Activo \d+:\d\d [ap]m<`, list, "the list names the draw")
	assert.NotContains(t, list, "Pagado el", "nothing is paid")
	assert.NotContains(t, list, "Sorteado")

	act := func(path string, form url.Values) (int, string, string) {
		form.Set(tokenField, p.token(t, page))
		w := p.do(http.MethodPost, path, form)
		return w.Code, w.Header().Get("Location"), w.Body.String()
	}
	for range 5 {
		status, _, body := act(page+"/pay", url.Values{"code": {"000000"}})
		require.Equal(t, http.StatusForbidden, status)
		require.Contains(t, body, "no es correcto")
	}
	status, _, body := act(page+"/pay", url.Values{"code": {"482913"}})
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Contains(t, body, "Demasiados")
	keys, err := p.env.Redis.Keys(t.Context(), "prizes:guesses:*").Result()
	require.NoError(t, err)
	require.NotEmpty(t, keys)
	require.NoError(t, p.env.Redis.Del(t.Context(), keys...).Err())
	status, location, _ := act(page+"/pay", url.Values{"code": {" 482913 "}, "key": {"k"}})
	require.Equal(t, http.StatusSeeOther, status)
	assert.Contains(t, p.get(location).Body.String(), "El premio fue pagado.")
	var payer, at string
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT u.name, e.name FROM paid_prizes p JOIN users u ON u.id = p.paid_by JOIN entities e ON e.id = u.entity_id`).Scan(&payer, &at))
	assert.Regexp(t, `(?s)Pagos</h2>.*`+payer+`.*`+at, p.get(page).Body.String(), "who paid, and where")
	status, _, _ = act(page+"/pay", url.Values{"code": {"482913"}, "key": {"other"}})
	require.Equal(t, http.StatusConflict, status)

	assert.Regexp(t, `<th[^>]*>(<a[^>]*>)?Pagado<`, p.get(prizesPath+"?status=paid").Body.String(), "when it was paid")
	status, location, _ = act(page+"/cancel", url.Values{"reason": {"ticket equivocado"}, "key": {"c"}})
	require.Equal(t, http.StatusSeeOther, status)
	shown = p.get(location).Body.String()
	assert.Contains(t, shown, "El pago fue anulado.")
	assert.Contains(t, shown, "ticket equivocado")
	assert.Equal(t, http.StatusOK, p.get(differencesPath).Code)
	assert.Contains(t, p.get(exposurePath+"/"+draw.String()).Body.String(), "<svg")
	assert.Contains(t, p.get(exposurePath+"/"+draw.String()+"?format=csv").Body.String(), "300,00")
}

// A user who may only read sees no forms, and nothing of other branches.
func TestPrizesRequireThePermission(t *testing.T) {
	t.Parallel()
	p, ticket, draw := setupPrizes(t)
	p.enter(t, "socio@banca.test")
	for _, page := range []string{prizesPath, differencesPath, exposurePath, exposurePath + "/" + draw.String()} {
		body := p.get(page)
		assert.Equal(t, http.StatusOK, body.Code, page)
		assert.NotContains(t, body.Body.String(), "/block", page)
	}
	page := prizesPath + "/" + ticket.String()
	assert.NotContains(t, p.get(page).Body.String(), `name="code"`)
	token := p.token(t, home)
	for _, path := range []string{page + "/pay", page + "/cancel", differencesPath + "/" + ticket.String() + "/settle", exposurePath + "/" + draw.String() + "/block"} {
		assert.Equal(t, http.StatusForbidden, p.do(http.MethodPost, path, url.Values{tokenField: {token}}).Code, path)
	}
	assert.Equal(t, http.StatusNotFound, p.get(prizesPath+"/"+uuid.NewString()).Code)
	assert.NotContains(t, p.get(page).Body.String(), "/cancel\"")
}
