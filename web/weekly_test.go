package web

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"banca/internal/catalog"
	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/rollup"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
)

const (
	weeklyPath        = "/admin/weekly"
	participationPath = "/admin/reports/participation"
)

// shared is the seeded database with open draws, whose entities participate in the result and whose users have a password.
var shared = withPasswords(fixture.Rows{Games: []string{"lotto-activo"}, DrawDays: 1, Change: []string{`DELETE FROM risk_limits`, participating}}) //nolint:gochecknoglobals // a lazy constant

// weeklyPanel is a panel over an operator that sold 1,234.50 and 500.00 on Friday of last week at two agencies, and has drafted the week.
type weeklyPanel struct {
	*browser
	*fixture.Operator

	week businessday.Day
}

func setupWeekly(t *testing.T) *weeklyPanel {
	t.Helper()
	env := shared.New(t)
	monday := weekly.Monday(businessday.Of(time.Now(), fixture.Caracas))
	p := &weeklyPanel{Operator: fixture.Over(env, env.PG, env.Redis, clock.NewFake(monday.AddDays(-3).At(10, 0, fixture.Caracas))), week: monday.AddDays(-7)}
	users := usersOf(t, env, p.Org.Scope)
	totals := rollup.New(env.PG, fixture.Caracas)
	deps := depsOf(t, env, users)
	deps.Clock, deps.Zone, deps.Org, deps.Catalog = p.Clock, fixture.Caracas, p.Org, p.Catalog
	settled := deps.Weekly.Deps
	settled.Org, settled.Ledger, settled.Totals, settled.Clock, settled.Zone = p.Org, p.Ledger, totals, p.Clock, fixture.Caracas
	deps.Weekly = weekly.New(settled)
	panel, err := New(deps)
	require.NoError(t, err)
	p.browser = &browser{auth: users, cookies: map[string]*http.Cookie{}, header: map[string]string{}}
	gin.SetMode(gin.ReleaseMode)
	p.engine = gin.New()
	panel.Register(p.engine)
	p.sell(t)
	p.Clock.Advance(monday.At(2, 0, fixture.Caracas).Sub(p.Clock.Now()))
	p.CountTotals(t, totals.Advance)
	_, err = deps.Weekly.Due(t.Context())
	require.NoError(t, err)
	p.login(t, "ADMIN", "")
	return p
}

func (p *weeklyPanel) sell(t *testing.T) {
	t.Helper()
	service, _ := p.StartSales(t)
	for point, amount := range map[string]string{seed.CodeTicketPoint: "1234.50", seed.CodeOtherPoint: "500.00"} {
		req := fixture.Ticket(fixture.Line(p.OpenDraws(t, "lotto-activo")[0], catalog.BetStraight, amount, "5"))
		req.EntityID = fixture.EntityID(point)
		_, err := service.Sell(t.Context(), fixture.As(fixture.Cashier), req)
		require.NoError(t, err)
	}
}

// of returns the address of the settlement of the entity with a code.
func (p *weeklyPanel) of(t *testing.T, code string) string {
	t.Helper()
	return weeklyPath + "/" + p.Text(t, `SELECT id::text FROM weekly_settlements WHERE entity_id = $1`, fixture.EntityID(code))
}

func (p *weeklyPanel) send(t *testing.T, page, action string, status int, fields url.Values) string {
	t.Helper()
	if fields == nil {
		fields = url.Values{}
	}
	fields.Set(tokenField, p.token(t, page))
	w := p.do(http.MethodPost, action, fields)
	require.Equal(t, status, w.Code, "%s: %s", action, w.Body)
	return w.Body.String()
}

func TestWeeklySettlementsInThePanel(t *testing.T) {
	t.Parallel()
	p := setupWeekly(t)
	list := p.get(weeklyPath).Body.String()
	for _, text := range []string{"Borrador", "Confirmar la semana", "Rehacer", `href="` + p.of(t, seed.CodeSuperAgency) + `"`, "1.734,50"} {
		assert.Contains(t, list, text)
	}
	assert.NotContains(t, list, p.of(t, seed.CodeTicketPoint), "only those directly below")
	assert.Contains(t, p.get(home).Body.String(), "1 cuadre sin confirmar: deben ")
	assert.Regexp(t, `(?s)<tfoot>.*1\.734,50.*debe [0-9.,]+</td></tr></tfoot>`, list)
	assert.NotRegexp(t, `<th[^>]*>(<a[^>]*>)?Estado<`, list, "the state of all rows is said once")
	assert.Regexp(t, `<select id="week"[^>]*>\s*<option value="`+p.week.AddDays(7).String()+`">Esta semana \(provisional\)`, list)
	running := p.get(weeklyPath + "?week=" + p.week.AddDays(7).String()).Body.String()
	for _, text := range []string{"Provisional", "la semana no ha terminado", "debe", "<tfoot>"} {
		assert.Contains(t, running, text)
	}
	assert.NotContains(t, running, "/confirm?week")
	levels := p.get(weeklyPath + "?below=all").Body.String()
	assert.Contains(t, levels, p.of(t, seed.CodeTicketPoint))
	assert.Contains(t, levels, "Debajo de: todos los niveles")
	assert.Contains(t, p.get(weeklyPath+"?below=todos+los+niveles").Body.String(), p.of(t, seed.CodeTicketPoint), "as the field sends it")
	entity := p.get(entityPath(seed.CodeAgency)).Body.String()
	assert.Contains(t, entity, `href="`+p.of(t, seed.CodeAgency)+`"`, "the page of the entity leads to its settlement")
	assert.Contains(t, entity, "debe ")
	assert.Contains(t, p.get(weeklyPath+"?below=NOWHERE").Body.String(), "no existe")
	assert.Contains(t, p.get(weeklyPath+"?week="+p.week.AddDays(1).String()).Body.String(), "con su lunes")
	assert.Contains(t, p.get(weeklyPath+"?format=csv&below=all").Body.String(), seed.CodeTicketPoint)
	for below, first := range map[string]string{"": "Total", "all": p.week.Format("02/01/2006")} { // no total counts an amount at several levels
		book, err := excelize.OpenReader(p.get(weeklyPath + "?format=xlsx&below=" + below).Body)
		require.NoError(t, err)
		rows, err := book.GetRows(book.GetSheetName(0))
		require.NoError(t, err)
		last := rows[len(rows)-1]
		assert.Equal(t, first, last[0])
		assert.Equal(t, below == "", slices.Contains(last, "1,734.50"), last)
	}

	page := p.of(t, seed.CodeAgency)
	shown := p.get(page).Body.String()
	for _, text := range []string{"1.234,50", "25,00 % de la caja", "las pérdidas se arrastran", "Confirmar el cuadre"} {
		assert.Contains(t, shown, text)
	}
	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!`)
	for _, at := range []string{weeklyPath + "?a=1", weeklyPath + "?below=all", page + "?a=1", participationPath + "?a=1", participationPath + "?entity=" + seed.CodeAgency, participationPath + "?from=2020-01-01&to=2020-02-01"} {
		for _, language := range []string{english, spanish} {
			w := p.get(at + "&lang=" + language)
			require.Equal(t, http.StatusOK, w.Code, at)
			assert.NotRegexp(t, missing, w.Body.String(), at)
		}
	}
	assert.Equal(t, http.StatusUnprocessableEntity, p.get(participationPath+"?from=2020-02-01&to=2020-01-01").Code)
	assert.Contains(t, p.get(participationPath+"?format=csv").Body.String(), seed.CodeSuperAgency)

	sales := "/admin/reports/sales?from=" + p.week.String() + "&to=" + p.week.AddDays(6).String()
	for _, at := range []string{sales, sales + "&by=day", sales + "&format=csv"} {
		accrued := p.get(at).Body.String()
		assert.Regexp(t, `568,91`, accrued, "the participation of the week: "+at)
		assert.Regexp(t, `853,38`, accrued, "what is left: "+at)
	}
	week := "?week=" + p.week.String() + "&currency=VES"
	p.send(t, weeklyPath, weeklyPath+"/draft"+week, http.StatusSeeOther, nil)
	p.send(t, weeklyPath, weeklyPath+"/confirm"+week, http.StatusSeeOther, nil)
	confirmed := p.get(weeklyPath).Body.String()
	assert.NotContains(t, confirmed, "Confirmar la semana")
	assert.NotContains(t, p.get(home).Body.String(), "sin confirmar")
	const queued = `SELECT count(*) FROM outbox WHERE kind = 'notice.settlement'`
	all, before := p.Number(t, `SELECT count(*) FROM weekly_settlements WHERE confirmed_at IS NOT NULL`), p.Number(t, queued)
	assert.Contains(t, confirmed, fmt.Sprintf("Enviar %d cuadres", all))
	p.send(t, weeklyPath, weeklyPath+"/send"+week, http.StatusSeeOther, nil)
	assert.Equal(t, before+all, p.Number(t, queued), "one for each entity; there is one message about a settlement")
	p.send(t, weeklyPath, weeklyPath+"/send", http.StatusUnprocessableEntity, nil)
	page = p.of(t, seed.CodeAgency)
	assert.Contains(t, p.send(t, page, page+"/confirm", http.StatusConflict, nil), "No se cambió nada")
	assert.Contains(t, p.send(t, weeklyPath, weeklyPath+"/draft"+week, http.StatusConflict, nil), "No se cambió nada")
	assert.Equal(t, "image/png", p.get(page+"/receipt").Header().Get("Content-Type"))
	assert.Equal(t, http.StatusNotFound, p.get(weeklyPath+"/"+uuid.NewString()).Code)
	p.payInThePanel(t, page)
}

// payInThePanel pays 100.00 of a confirmed settlement, unlinks the payment and links it again.
func (p *weeklyPanel) payInThePanel(t *testing.T, page string) {
	t.Helper()
	form := url.Values{"amount": {"100,00"}, "reference": {"R-1"}, "means": {"mobile"}, "note": {"efectivo <b>"}, "key": {uuid.NewString()}}
	asked := p.send(t, page, page+"/pay", http.StatusOK, form)
	assert.Contains(t, asked, "Registrar pago de 100,00")
	assert.Contains(t, p.send(t, page, page+"/pay", http.StatusUnprocessableEntity, url.Values{"amount": {"1,005"}, "reference": {"x"}}), `id="summary"`)
	form.Set("sure", "1")
	p.send(t, page, page+"/pay", http.StatusSeeOther, form)
	p.send(t, page, page+"/pay", http.StatusSeeOther, form) // pressed twice
	assert.EqualValues(t, 1, p.Number(t, `SELECT count(*) FROM weekly_payments`))
	assert.Contains(t, p.send(t, page, page+"/pay", http.StatusConflict, url.Values{"amount": {"1"}, "reference": {"R-1"}, "sure": {"1"}}), "esta referencia")
	shown := p.get(page).Body.String()
	assert.Contains(t, shown, "Pago móvil · efectivo &lt;b&gt;")
	movement := regexp.MustCompile(`name="movement" value="([^"]+)"`).FindStringSubmatch(shown)
	require.Len(t, movement, 2)
	p.send(t, page, page+"/unlink", http.StatusSeeOther, url.Values{"movement": {movement[1]}})
	assert.Contains(t, p.get(page).Body.String(), "Movimientos que pueden ser pagos")
	p.send(t, page, page+"/unlink", http.StatusNotFound, url.Values{"movement": {movement[1]}})
	p.send(t, page, page+"/link", http.StatusSeeOther, url.Values{"movement": {movement[1]}})
	p.send(t, page, page+"/link", http.StatusUnprocessableEntity, url.Values{"movement": {uuid.NewString()}})
	assert.EqualValues(t, 1, p.Number(t, `SELECT count(*) FROM weekly_payments`))
}

// A person confirms a settlement and pays it by clicks; a second click changes nothing, and a share in a loss beyond the credit is refused. Every
// page fits a phone.
func TestWeeklySettlementsInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupWeekly(t)
	tab, server := enterInBrowser(t, p.engine)
	page := p.of(t, seed.CodeTicketPoint)
	p.Exec(t, `UPDATE weekly_settlements SET own_share = -90000000000 WHERE entity_id = $1`, fixture.EntityID(seed.CodeOtherPoint))
	tab.Visit(server + weeklyPath)
	tab.Expect("409 POST")
	tab.Click("details.confirm summary")
	tab.Follow(`form[action*="/weekly/confirm"] button:not(.quiet)`)
	refused := tab.Text("[role=alert]")
	assert.Contains(t, refused, "El saldo y el crédito no alcanzan")
	assert.Contains(t, refused, p.Text(t, `SELECT name FROM entities WHERE id = $1`, fixture.EntityID(seed.CodeOtherPoint)))

	tab.Visit(server + page)
	left := chromium.Value[string](tab, `document.querySelector("#amount").value`)
	tab.Fill("#reference", "REC-1")
	tab.Follow(`form[action$="/pay"] button[type=submit]`)
	assert.Contains(t, tab.Text("#sure"), left)
	tab.Follow("#sure button[type=submit]")
	shown := tab.Text("main")
	for _, text := range []string{"El pago quedó registrado", "REC-1", "No queda nada por pagar", "Pagado"} {
		assert.Contains(t, shown, text)
	}
	assert.EqualValues(t, 1, p.Number(t, `SELECT count(*) FROM weekly_payments`))
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		tab.Visit(server + page)
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
}
