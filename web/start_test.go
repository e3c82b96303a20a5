package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
)

// The start page has the figures of the part of the organisation that the user sees, and what waits for those who may do it.
func TestTheStartPageShowsTheDay(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	page := p.get(home + "?lang=es").Body.String()
	for _, text := range []string{"2.369,02", "Superagencia Oriente", "Lotto Activo", "La Granjita", "Próximos cierres", `data-left="`, "Todo en orden|sin resultado|sin cerrar", "Venta por hora", "100,00"} {
		assert.Regexp(t, text, page)
	}
	assert.NotRegexp(t, `>\s*[a-z]+\.[a-z_.]+\s*<|%!`, page)
	assert.NotContains(t, page, "&amp;game=", "the games are another tab")
	games := p.get(home + "?by=game").Body.String()
	assert.Contains(t, games, "&amp;game=")
	assert.NotContains(t, games, "Superagencia Oriente")
	dollars := p.get(home + "?currency=USD").Body.String()
	assert.Contains(t, dollars, "Hoy aún no se ha vendido")
	assert.NotContains(t, dollars, "2.369,02")
	assert.Equal(t, http.StatusOK, p.get(home+"?currency=nothing").Code)

	p.enterAs(t, "socio@banca.test")
	partner := p.get(home).Body.String()
	assert.Contains(t, partner, "1.869,02", "of the own agency")
	assert.Regexp(t, `Comisiones</a><p>[^<]* de la venta, suyas [^<]*</p>`, partner, "the figure is of all levels")
	assert.NotContains(t, partner, "2.369,02")
	assert.NotContains(t, partner, "Superagencia Oriente")
	assert.Regexp(t, `<strong>(Usted debe|A usted le deben|Está a mano)[^<]*\x{a0}Bs\.</strong>[^<]*\(provisional\)`, partner)
	p.enterAs(t, "taquilla@banca.test")
	w := p.get(home)
	require.Equal(t, http.StatusOK, w.Code)
	assert.NotContains(t, w.Body.String(), seed.CodeOtherAgency)
	assert.NotContains(t, w.Body.String(), "sin conciliar")
}

// A draw is in colour from 70 percent of what the house lets it cost. A limit that allows no more sales is no task: the page shows it as used up,
// with the way to raise it for those who may.
func TestOnlyWhatAHandHelpsIsAnAlarm(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 4)
	const sold = `FROM ticket_items i JOIN tickets t ON t.id = i.ticket_id JOIN draws d ON d.id = i.draw_id JOIN games g ON g.id = d.game_id
		WHERE d.status = 'open' AND t.status = 'pending' AND t.currency_id = (SELECT id FROM currencies WHERE code = 'VES')
		GROUP BY d.id, g.id, i.selection ORDER BY sum(i.amount) DESC LIMIT 1`
	game, element := s.Text(t, `SELECT g.id::text `+sold), s.Text(t, `SELECT i.selection `+sold)
	draw, stake := s.Text(t, `SELECT d.id::text `+sold), s.Number(t, `SELECT sum(i.amount)::bigint `+sold)
	fall := regexp.MustCompile(`<tr id="r-` + draw + `">(?:[^<]|<[^/]|</[^t]|</t[^r])*class="number fall"`)
	meter := regexp.MustCompile(`<tr[^>]*>.*?` + draw + `.*?<span class="meter">.*?value="(\d+)"`)

	board := s.get(exposurePath + "?lang=es").Body.String()
	require.Contains(t, board, `id="r-`+draw+`"`)
	assert.NotContains(t, board, "number fall", "the limits allow more than each draw may lose")
	page := s.get(home + "?lang=es").Body.String()
	require.Regexp(t, meter, page)
	share, err := strconv.Atoi(meter.FindStringSubmatch(page)[1])
	require.NoError(t, err)
	assert.Less(t, share, 70, "of the house's limit")

	limit := url.Values{tokenField: {s.token(t, home)}, "entity": {seed.CodeOperator}, "currency": {"VES"}, "game": {game}, "element": {element}, "metric": {"stake"}, "base": {decimal(stake)}}
	w := s.do(http.MethodPost, limitsPath+"/new", limit)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	id := s.idOf(t, `SELECT id::text FROM risk_limits WHERE element = $1 AND base = $2`, element, stake)
	page = s.get(home + "?lang=es").Body.String()
	assert.Regexp(t, `class="dot off"></span><span class="what">[^<]*agotado[^<]*</span><a class="button quiet" href="`+limitsPath+`/`+id+`">Subir el tope</a>`, page)
	assert.NotContains(t, page, "usa el 100")
	assert.Contains(t, s.get(home+"?lang=en").Body.String(), "Raise the limit")
	board = s.get(exposurePath + "?lang=es").Body.String()
	assert.Regexp(t, `class="meter spent">.*agotado`, board)
	assert.Regexp(t, fall, board, "a loss of what the limit allows")
	assert.Contains(t, s.get(limitsPath+"/"+id+"?lang=es").Body.String(), "agotado")

	change := url.Values{tokenField: {s.token(t, home)}, "base": {decimal(stake*100/95 + 1)}}
	require.Equal(t, http.StatusSeeOther, s.do(http.MethodPost, limitsPath+"/"+id+"/change", change).Code)
	page = s.get(home + "?lang=es").Body.String()
	assert.Regexp(t, `class="dot trouble"></span><span class="what">[^<]*usa el 9\d % de su tope`, page, "what is not stopped yet")
	assert.NotContains(t, page, "agotado")

	s.Exec(t, `DELETE FROM risk_limits`)
	s.Risk.ForgetLimits()
	assert.NotRegexp(t, draw+`.*<span class="meter">`, s.get(home).Body.String(), "without limits and sales of days before, the amount alone")
	s.Exec(t, `DELETE FROM daily_totals WHERE day = $1::date - 1`, s.Clock.Now().In(fixture.Caracas).Format(time.DateOnly))
	s.Exec(t, `UPDATE daily_totals SET day = day - 1 WHERE day = $1::date`, s.Clock.Now().In(fixture.Caracas).Format(time.DateOnly))
	assert.Regexp(t, draw+`.*<span class="meter">`, s.get(home).Body.String(), "without limits, by the sales of three days")
}

// decimal is an amount of minor units as a form has it.
func decimal(minor int64) string {
	return strconv.FormatInt(minor/100, 10) + "," + strconv.FormatInt(100+minor%100, 10)[1:]
}
