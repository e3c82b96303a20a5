package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
)

// A risky number is blocked from the board: the draw with the greatest loss is first, its number is blocked at the spot and no row moves.
func TestARiskyNumberIsBlockedFromTheBoard(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	s := setupTestbed(t, 4)
	s.Exec(t, `UPDATE games SET mechanics = mechanics || '{"wildcards": [{"code": "C1", "multiply": "2", "bet_types": ["straight"]}]}' WHERE mechanics->>'kind' = 'element'`)
	s.Exec(t, `UPDATE ticket_items i SET rule_version = g.rule_version FROM games g, draws d WHERE g.id = i.game_id AND d.id = i.draw_id AND d.status = 'open'`)
	tab, server := enterInBrowser(t, s.engine)
	tab.Visit(server + exposurePath)
	open := s.Number(t, `SELECT count(*) FROM draws WHERE status = 'open' AND sale_stop_at > $1`, s.Clock.Now())
	late := s.Number(t, `SELECT count(*) FROM draws d WHERE status = 'open' AND sale_stop_at > $1 AND NOT EXISTS (SELECT FROM ticket_items i WHERE i.draw_id = d.id)`, s.Clock.Now().Add(time.Hour))
	require.Positive(t, late)
	const shown = `document.querySelectorAll("tbody tr").length`
	assert.Equal(t, int(open-late), chromium.Value[int](tab, shown), "draws without sales wait until their last hour")
	tab.Follow("#risk > .hint a")
	assert.Equal(t, int(open), chromium.Value[int](tab, shown), "all draws on sale")
	tab.Follow("tbody tr:first-child a.whole")

	assert.Regexp(t, `hasta [\d.,]+ con comodines`, chromium.Value[string](tab, `document.querySelector(".tiles").textContent`))
	const cell = `document.querySelector("td .block")`
	id := "#" + chromium.Value[string](tab, cell+`.id`)
	rows := `JSON.stringify(Array.from(document.querySelectorAll("tbody tr"), tr => [tr.cells[0].textContent, Math.round(tr.getBoundingClientRect().top + scrollY)]))`
	before := chromium.Value[string](tab, rows)
	assert.Equal(t, 1, chromium.Value[int](tab, `new Set([...document.querySelectorAll(".databar line")].map(line => line.getAttribute("x1"))).size`), "the line where the house begins to lose")
	tab.Click(id + " summary")
	tab.Fill(id+" input[name=reason]", "Mucha venta")
	tab.Click(id + " dialog button:not(.dismiss)")
	tab.Until(`document.querySelector("` + id + `").textContent.includes("Bloqueado")`)
	assert.Equal(t, before, chromium.Value[string](tab, rows), "no row moves")
	assert.Positive(t, s.Number(t, `SELECT count(*) FROM risk_limits WHERE reason = 'Mucha venta' AND base = 0`))
	tab.Click(id + " button")
	tab.Until(`!document.querySelector("` + id + `").textContent.includes("Bloqueado")`)
	assert.Zero(t, s.Number(t, `SELECT count(*) FROM risk_limits WHERE reason = 'Mucha venta'`))
	assert.Equal(t, before, chromium.Value[string](tab, rows))

	tab.Narrow()
	tab.Visit(server + exposurePath)
	tab.Follow("tbody tr:first-child a.whole")
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))

	settled := s.idOf(t, `SELECT id::text FROM draws WHERE status = 'settled' LIMIT 1`)
	assert.NotContains(t, s.do(http.MethodGet, exposurePath+"/"+settled, nil).Body.String(), "/block", "nothing is blocked after the sale")
	refused := s.do(http.MethodPost, exposurePath+"/"+settled+"/block", url.Values{tokenField: {s.token(t, home)}, "element": {"5"}, "reason": {"tarde"}})
	assert.Equal(t, http.StatusConflict, refused.Code)
	assert.Zero(t, s.Number(t, `SELECT count(*) FROM risk_limits WHERE draw_id = $1`, settled))

	won := s.idOf(t, `SELECT w.draw_id::text FROM winning_lines w JOIN draws d ON d.id = w.draw_id JOIN results r ON r.id = d.result_id WHERE w.annulled_at IS NULL AND r.value <> '0' ORDER BY w.created_at LIMIT 1`)
	tab.Wide()
	tab.Visit(server + drawsPath + "/" + won)
	tab.Click("#correct > summary")
	tab.Fill("#c-value", "0")
	tab.Fill("#c-reason", "Acta corregida")
	tab.Follow("#correct form button[type=submit]")
	for _, width := range []func(){tab.Wide, tab.Narrow} {
		width()
		assert.GreaterOrEqual(t, chromium.Value[int](tab, `document.querySelectorAll("#correct .difference dt").length`), 6, "all figures of what changes")
		assert.Empty(t, chromium.Value[[]string](tab, `Array.from(document.querySelectorAll("#correct .difference dd")).filter(e => { const r = e.getBoundingClientRect(); return r.width === 0 || r.right > innerWidth }).map(e => e.textContent)`))
	}
}

// A limit is created, changed and removed by forms, and its page shows what is left of it. A wrong value is marked at its field.
func TestLimitsByForms(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 4)
	game := seed.ID("game", "lotto-activo").String()
	form := url.Values{
		"entity": {seed.CodeOperator}, "currency": {"VES"}, "category": {""}, "game": {game}, "element": {"5 León"}, "bet": {""}, "metric": {"stake"}, "base": {"1.500,00"}, "pct": {"2,5"}, "reason": {"Fin de semana"},
	}
	with := func(field, value string) url.Values {
		changed := url.Values{tokenField: {s.token(t, home)}}
		maps.Copy(changed, form)
		changed.Set(field, value)
		return changed
	}
	for field, value := range map[string]string{"base": "mil", "pct": "mucho", "element": "Dragón", "entity": "NADA"} {
		w := s.do(http.MethodPost, limitsPath+"/new", with(field, value))
		assert.GreaterOrEqual(t, w.Code, http.StatusBadRequest, field)
		assert.Less(t, w.Code, http.StatusInternalServerError, field)
		assert.Regexp(t, `(name="`+field+`"[^>]*aria-invalid)|(aria-invalid[^>]*name="`+field+`")`, w.Body.String(), field)
		assert.Contains(t, w.Body.String(), "Fin de semana", "what was typed is kept")
	}
	effect := func(address string, form url.Values) string {
		form.Set("action", "calculate")
		shown := s.do(http.MethodPost, address, form)
		require.Equal(t, http.StatusOK, shown.Code)
		return regexp.MustCompile(`(?s)<div id="effect" role="status">(.*?)</div>`).FindStringSubmatch(shown.Body.String())[1]
	}
	sold := s.Number(t, `SELECT count(*) FROM (SELECT DISTINCT i.draw_id, i.selection, i.bet_type FROM ticket_items i JOIN tickets t ON t.id = i.ticket_id JOIN draws d ON d.id = i.draw_id
		WHERE d.status = 'open' AND t.currency_id = $1 AND t.status <> 'cancelled') AS sold`, seed.ID("currency", "VES"))
	require.Positive(t, sold)
	all := url.Values{tokenField: {s.token(t, home)}, "entity": {seed.CodeOperator}, "currency": {"VES"}, "metric": {"stake"}}
	assert.Regexp(t, `^<p>Lo más apostado ahora: [^<]* Bs\.</p>$`, effect(limitsPath+"/new", all), "before an amount is typed")
	all.Set("base", "0,01")
	assert.Contains(t, effect(limitsPath+"/new", all), fmt.Sprintf("quedan agotados %d animales o números", sold))
	all.Set("base", "99.000.000")
	assert.Contains(t, effect(limitsPath+"/new", all), "no queda agotado ningún")
	all.Set("base", "0")
	assert.Contains(t, effect(limitsPath+"/new", all), "no se vende nada")
	assert.Empty(t, effect(limitsPath+"/new", with("base", "mil")))
	require.Zero(t, s.Number(t, `SELECT count(*) FROM risk_limits WHERE base = 1`), "nothing is saved")
	w := s.do(http.MethodPost, limitsPath+"/new", with("reason", "Fin de semana"))
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	require.Equal(t, "150000/250/5", s.Text(t, `SELECT base || '/' || pct_bps || '/' || element FROM risk_limits WHERE reason = 'Fin de semana'`))
	again := s.do(http.MethodPost, limitsPath+"/new", with("reason", "otra vez"))
	require.Equal(t, http.StatusConflict, again.Code, "a second one like it")

	page := limitsPath + "/" + s.idOf(t, `SELECT id::text FROM risk_limits WHERE reason = 'Fin de semana'`)
	listed := s.do(http.MethodGet, limitsPath+"?game="+game, nil).Body.String()
	assert.Contains(t, listed, "5 León")
	assert.Contains(t, listed, "1.500,00 Bs", "in the first currency")
	assert.Contains(t, s.do(http.MethodGet, limitsPath+"?currency=USD&game="+game, nil).Body.String(), "sin tope en $")
	assert.Contains(t, s.do(http.MethodGet, limitsPath+"?format=csv&currency=USD&game="+game, nil).Body.String(), ";USD;", "the file has the currency of the page")
	assert.Contains(t, s.do(http.MethodGet, limitsPath+"?currency=&game="+game, nil).Body.String(), "1.500,00 Bs", "all currencies")
	body := s.do(http.MethodGet, page, nil).Body.String()
	assert.Contains(t, body, "1.500,00")
	refused := s.do(http.MethodPost, page+"/change", url.Values{tokenField: {s.token(t, home)}, "base": {"-1"}, "pct": {""}})
	assert.GreaterOrEqual(t, refused.Code, http.StatusBadRequest)
	changed := s.do(http.MethodPost, page+"/change", url.Values{tokenField: {s.token(t, home)}, "base": {"900"}, "pct": {""}, "reason": {"Menos"}})
	require.Equal(t, http.StatusSeeOther, changed.Code)
	require.Equal(t, "90000/0", s.Text(t, `SELECT base || '/' || pct_bps FROM risk_limits WHERE reason = 'Menos'`))
	removed := s.do(http.MethodPost, page+"/delete", url.Values{tokenField: {s.token(t, home)}})
	require.Equal(t, http.StatusSeeOther, removed.Code)
	require.Equal(t, http.StatusNotFound, s.do(http.MethodGet, page, nil).Code)

	general := s.idOf(t, `SELECT l.id::text FROM risk_limits l WHERE l.entity_id = $1 AND l.game_id IS NULL AND l.currency_id = $2 LIMIT 1`, fixture.RootID, seed.ID("currency", "VES"))
	change := url.Values{tokenField: {s.token(t, home)}, "base": {"0,01"}}
	assert.Contains(t, effect(limitsPath+"/"+general+"/change", change), fmt.Sprintf("quedan agotados %d animales o números", sold))
	uses := s.do(http.MethodGet, limitsPath+"/"+general, nil).Body.String()
	assert.Contains(t, uses, "<meter", "what was sold uses a part of the limit")

	s.enter(t, "socio@banca.test")
	assert.NotContains(t, s.do(http.MethodGet, limitsPath, nil).Body.String(), limitsPath+"/new")
	assert.Equal(t, http.StatusNotFound, s.do(http.MethodGet, limitsPath+"/"+general, nil).Code, "limits of other parts of the organisation")
}
