package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	apireports "banca/api/reports"
	"banca/internal/catalog"
	"banca/internal/closes"
	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/exports"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/web/kit"
)

const reportsPath = "/admin/reports"

// sellable is the seeded database with open draws of two games, whose users have a password.
var sellable = withPasswords(fixture.Rows{Games: []string{"lotto-activo", "la-granjita"}, Change: []string{`DELETE FROM risk_limits`}, DrawDays: 1}) //nolint:gochecknoglobals // a lazy constant

// reportsPanel is a panel over an operator that sold for 1,234.50 yesterday and for 2,469.02 today, of which 100.00 were cancelled, at two agencies.
type reportsPanel struct {
	*browser
	*fixture.Operator

	sales   *sales.Service
	today   string
	exports *exports.Service
}

func setupReports(t *testing.T) *reportsPanel {
	t.Helper()
	env := sellable.New(t)
	p := &reportsPanel{Operator: fixture.Over(env, env.PG, env.Redis, clock.NewFake(fixture.TenTomorrow()))}
	users := usersOf(t, env, p.Org.Scope)
	totals := rollup.New(env.PG, fixture.Caracas)
	deps := depsOf(t, env, users)
	deps.Clock, deps.Zone, deps.Org, deps.Catalog, deps.Ledger = p.Clock, fixture.Caracas, p.Org, p.Catalog, p.Ledger
	days := deps.Closes.Deps
	days.Org, days.Ledger, days.Clock, days.Zone = p.Org, p.Ledger, p.Clock, fixture.Caracas
	deps.Closes = closes.New(days)
	deps.Reports = reports.New(reports.Deps{PG: env.PG, Org: p.Org, Catalog: p.Catalog, Ledger: p.Ledger, Totals: totals, Clock: p.Clock, Zone: fixture.Caracas})
	p.exports = exports.New(exports.Deps{
		PG: env.PG, Auth: users, Objects: env.Private, Sources: apireports.Sources(deps.Reports), Clock: clock.System{}, Zone: fixture.Caracas, Retention: time.Hour,
	})
	deps.Exports = p.exports
	p.sales, _ = p.StartSales(t)
	deps.Sales = p.sales
	deps.Assistant, _ = assistantOf(t, env, &deps)
	panel, err := New(deps)
	require.NoError(t, err)
	p.browser = &browser{auth: users, cookies: map[string]*http.Cookie{}, header: map[string]string{}}
	gin.SetMode(gin.ReleaseMode)
	p.engine = gin.New()
	panel.Register(p.engine)
	p.today = fixture.TenTomorrow().Format(time.DateOnly)
	p.sellForTwoDays(t, totals)
	return p
}

func (p *reportsPanel) sellForTwoDays(t *testing.T, totals *rollup.Service) {
	t.Helper()
	animals, farm := p.OpenDraws(t, "lotto-activo"), p.OpenDraws(t, "la-granjita")
	sell := func(point string, d *catalog.Draw, amount string) {
		req := fixture.Ticket(fixture.Line(d, catalog.BetStraight, amount, "5"))
		req.EntityID = fixture.EntityID(point)
		sold, err := p.sales.Sell(t.Context(), fixture.As(fixture.Cashier), req)
		require.NoError(t, err)
		if amount == "100.00" {
			_, err = p.sales.Cancel(t.Context(), fixture.As(fixture.Cashier), &sales.CancelRequest{TicketID: sold.Ticket.ID})
			require.NoError(t, err)
		}
	}
	p.Clock.Advance(-24 * time.Hour)
	sell(seed.CodeTicketPoint, animals[0], "1234.50")
	p.Clock.Advance(24 * time.Hour)
	sell(seed.CodeTicketPoint, animals[0], "1000.01")
	sell(seed.CodeTicketPoint, animals[1], "100.00")
	sell(seed.CodeTicketPoint2, farm[0], "869.01")
	sell(seed.CodeOtherPoint, animals[0], "500.00")
	p.CountTotals(t, totals.Advance)
}

// sumOfFile returns the sum of a column in minor units.
func sumOfFile(t *testing.T, content, head string) (sum money.Amount) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(content, "\uFEFF")))
	r.Comma = ';'
	records, err := r.ReadAll()
	require.NoError(t, err, content)
	for column, title := range records[0] {
		if title != head {
			continue
		}
		for _, record := range records[1:] {
			n, err := strconv.ParseInt(strings.Replace(record[column], ",", "", 1), 10, 64)
			require.NoError(t, err)
			sum += money.Amount(n)
		}
		return sum
	}
	require.Fail(t, "no column "+head, records[0])
	return 0
}

// enterAs logs in as a user.
func (p *browser) enterAs(t *testing.T, name string) {
	t.Helper()
	p.cookies = map[string]*http.Cookie{}
	p.get(loginPath)
	w := p.do(http.MethodPost, loginPath, url.Values{tokenField: {p.token(t, loginPath)}, "identifier": {name}, "password": {password}})
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
}

func TestReportsInBothLanguages(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	draw := p.OpenDraws(t, "lotto-activo")[0]
	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!|VES|TICKET_POINT|straight`)
	pages := []string{
		"/sales", "/sales?by=game", "/sales?by=day", "/sales?by=means", "/sales?game=" + draw.GameID.String(), "/sales?entity=" + seed.CodeTicketPoint, "/sales/tickets?draw=" + draw.ID.String(),
		"/levels", "/waterfall", "/balances", "/balances?entity=" + seed.CodeGroup, "/expired-prizes",
	}
	for _, page := range pages {
		for _, language := range []string{english, spanish} {
			joint := "?"
			if strings.Contains(page, "?") {
				joint = "&"
			}
			for _, days := range []string{"", "&from=2026-01-01&to=2026-01-02"} {
				w := p.get(reportsPath + page + joint + "lang=" + language + days)
				require.Equal(t, http.StatusOK, w.Code, "%s: %s", page, w.Body)
				shown := regexp.MustCompile(`value="VES"`).ReplaceAllString(w.Body.String(), "")
				shown = regexp.MustCompile(`(href|value)="[^"]*"`).ReplaceAllString(shown, "")
				assert.NotRegexp(t, missing, shown, page)
			}
		}
	}
	assert.Contains(t, p.get(kit.EntitySuggestions+"?q=avila").Body.String()+p.get(kit.EntitySuggestions+"?q=%C3%81vila").Body.String(), "Agencia El Ávila (AGE-001)")
}

// What cannot be answered is said above an empty page that keeps the filter.
func TestReportsRefuseWrongQuestions(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	for query, status := range map[string]int{
		"entity=NOWHERE": 404, "from=2026-02-02&to=2026-02-01": 422, "from=2016-01-01&to=2026-01-01": 422, "currency=XXX": 422, "game=" + rootID.String(): 404, "from=x": 200,
	} {
		for _, page := range []string{"/sales", "/levels", "/waterfall"} {
			w := p.get(reportsPath + page + "?" + query)
			require.Equal(t, status, w.Code, "%s %s", page, query)
			assert.Contains(t, w.Body.String(), `id="entity"`, "the filter stays")
			if status != http.StatusOK {
				assert.Contains(t, w.Body.String(), `class="problem"`)
			}
		}
	}
	p.Exec(t, `UPDATE users SET entity_id = $1, role = 'ADMIN' WHERE email = 'socio@banca.test'`, fixture.EntityID(seed.CodeAgency))
	p.auth.Forget()
	p.enterAs(t, "socio@banca.test")
	for _, page := range []string{"/sales", "/levels", "/waterfall", "/balances", "/expired-prizes"} {
		for query, status := range map[string]int{"": 200, "entity=" + seed.CodeTicketPoint: 200, "entity=" + seed.CodeOtherAgency: 404, "entity=" + seed.CodeOperator: 404} {
			assert.Equal(t, status, p.get(reportsPath+page+"?"+query).Code, "%s %s", page, query)
			assert.Equal(t, status, p.get(reportsPath+page+"?format=csv&"+query).Code, "%s %s as a file", page, query)
		}
	}
	assert.NotContains(t, p.get(reportsPath+"/sales").Body.String(), ">Operadora")
}

// Each page shows the figures of the sales, and its file has the same sums.
func TestReportsHaveTheFiguresOfTheSales(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	shown := func(query string, texts ...string) {
		t.Helper()
		body := p.get(reportsPath + query).Body.String()
		for _, text := range texts {
			assert.Contains(t, body, text, query)
		}
	}
	file := func(query, head string) money.Amount {
		t.Helper()
		joint := "?"
		if strings.Contains(query, "?") {
			joint = "&"
		}
		w := p.get(reportsPath + query + joint + "format=csv")
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		return sumOfFile(t, w.Body.String(), head)
	}
	yesterday := fixture.TenTomorrow().AddDate(0, 0, -1).Format(time.DateOnly)
	shown("/sales", "2.369,02", "2.469,02", "100,00")
	days := "?from=" + yesterday + "&to=" + p.today
	shown("/sales"+days, "3.603,52", `<rect class="of-sales"`)
	require.EqualValues(t, 2469_02, file("/sales", "Vendido"))
	require.EqualValues(t, 3603_52, file("/sales"+days, "Venta neta"))
	require.EqualValues(t, 3603_52, file("/sales"+days+"&by=day", "Venta neta"))
	require.EqualValues(t, 3603_52, file("/sales"+days+"&by=game", "Venta neta"))
	require.EqualValues(t, 3603_52, file("/sales"+days+"&by=means", "Venta neta"))
	require.EqualValues(t, 1869_02, file("/sales?entity="+seed.CodeAgency, "Venta neta"))
	shown("/sales?entity="+seed.CodeAgency, "Agencia El Ávila", "1.869,02")
	draw := p.OpenDraws(t, "lotto-activo")[0]
	shown("/sales?game="+draw.GameID.String(), "1.500,01")
	shown("/sales/tickets?draw="+draw.ID.String(), "1.500,01", "1.000,01")
	require.EqualValues(t, 1500_01, file("/sales/tickets?draw="+draw.ID.String(), "Vendido"))
	require.EqualValues(t, 1500_01+1234_50, file("/sales/tickets"+days+"&draw="+draw.ID.String(), "Vendido"))

	shown("/levels?entity="+seed.CodeAgency+"&currency=VES&page=2", `href="/admin/reports/waterfall?currency=VES&amp;entity=`+seed.CodeAgency+`"`, `<li><a href="/admin/reports/sales" aria-current="page"`)
	shown("/levels", "2.369,02")
	require.EqualValues(t, 2369_02, file("/levels", "Le queda antes de participación"))
	shown("/waterfall", "2.469,02", "−100,00", "2.369,02", "<rect")
	require.Positive(t, file("/balances?entity="+seed.CodeOperator, "Saldo final"))
	points := p.Number(t, `SELECT sum(b.balance) FROM wallet_balances b JOIN wallets w ON w.id = b.id WHERE w.entity_id IN ($1, $2) AND w.currency_id = $3`,
		fixture.EntityID(seed.CodeTicketPoint), fixture.EntityID(seed.CodeTicketPoint2), seed.ID("currency", "VES"))
	require.EqualValues(t, points, file("/balances?entity="+seed.CodeGroup, "Saldo final"))

	at := fixture.TenTomorrow()
	p.Exec(t, `UPDATE tickets SET status = 'won', prize = 30 * total, settled_at = $1, expired_at = $1 WHERE entity_id = $2`, at, fixture.EntityID(seed.CodeOtherPoint))
	shown("/expired-prizes", "15.000,00")
	require.EqualValues(t, 15000_00, file("/expired-prizes", "Premio"))
	shown("/expired-prizes?entity="+seed.CodeAgency, "Nada coincide con este filtro")
}

// exported is the script that downloads the file of a page.
const exported = `fetch(document.querySelector('main a[download][href*="format=csv"]').href).then(answer => answer.text())`

// Each report in a browser: found by entity and period, led down from the operator to the tickets, exported with the sums of the page.
func TestReportsInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupReports(t)
	tab, server := enterInBrowser(t, p.engine)
	fits := func() {
		t.Helper()
		for _, resize := range []func(){tab.Narrow, tab.Wide} {
			resize()
			assert.Empty(t, chromium.Value[[]string](tab, overflowing))
		}
		assert.True(t, chromium.Value[bool](tab, `[...document.querySelectorAll(".table")].every((e) => e.scrollWidth <= e.clientWidth)`), "a report fits 1280 px without scrolling sideways")
	}
	tab.Visit(server + reportsPath + "/sales")
	fits()
	require.Contains(t, tab.Text("tfoot"), "2.369,02")
	require.EqualValues(t, 2369_02, sumOfFile(t, chromium.Value[string](tab, exported), "Venta neta"))

	tab.Fill("#entity", "vila")
	tab.Until(`document.querySelectorAll("#b-entity [role=option]").length === 1`)
	tab.Click("#b-entity [role=option]")
	tab.Fill("#from", fixture.TenTomorrow().AddDate(0, 0, -1).Format("01022006"))
	tab.Until(`document.querySelector("h1").textContent.includes("Ávila") && document.querySelector("tfoot").textContent.includes("3.103,52")`)
	require.Contains(t, tab.Text("h1"), "Agencia El Ávila")
	require.Contains(t, tab.Text("tfoot"), "3.103,52")
	fits()

	tab.Visit(server + reportsPath + "/sales")
	for range 4 { // super-agency, agency, group, ticket point
		tab.Follow("tbody a.whole")
	}
	require.Contains(t, tab.Text("h1"), "Taquilla")
	tab.Follow("tbody a.whole") // a game
	require.Contains(t, tab.Text("h1"), "Lotto Activo")
	tab.Follow("tbody a.whole") // a draw
	require.Contains(t, tab.Text("h1"), "Tickets")
	require.Contains(t, tab.Text("tfoot"), "1.000,01")
	require.EqualValues(t, 1000_01, sumOfFile(t, chromium.Value[string](tab, exported), "Vendido"))
	fits()
	tab.Follow(".crumbs a:last-of-type")
	require.Contains(t, tab.Text("h1"), "Ventas")

	p.Exec(t, `UPDATE tickets SET status = 'won', prize = 30 * total, settled_at = $1, expired_at = $1 WHERE entity_id = $2`, fixture.TenTomorrow(), fixture.EntityID(seed.CodeOtherPoint))
	for _, c := range []struct {
		page, head string
		sum        money.Amount
	}{{"/levels", "Le queda antes de participación", 2369_02}, {"/waterfall", "", 0}, {"/balances", "Ventas", 0}, {"/expired-prizes", "Premio", 15000_00}} {
		tab.Visit(server + reportsPath + c.page)
		fits()
		content := chromium.Value[string](tab, exported)
		if c.sum != 0 {
			require.Equal(t, c.sum, sumOfFile(t, content, c.head))
			require.Contains(t, tab.Text("main"), c.sum.FormatLocal(2))
		}
	}
}

// A statement names the ticket of each sale and commission.
func TestAStatementNamesItsTickets(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	rows, err := p.PG.Pool.Query(t.Context(), `SELECT serial_code FROM tickets WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	require.NoError(t, err)
	serials, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Len(t, serials, 3)
	for _, code := range []string{seed.CodeTicketPoint, seed.CodeOperator} {
		body := p.get(walletPath(code, "VES") + "?lang=es").Body.String()
		for _, serial := range serials {
			require.Equal(t, code == seed.CodeTicketPoint, strings.Contains(body, ">"+serial+"<"), code)
		}
	}
}

// Each workbook of the panel says what it is of, under which conditions, and who made it.
func TestWorkbooksOfThePanel(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	for address, title := range map[string]string{
		reportsPath + "/sales?": "Ventas por entidad · Banca La Fortuna", reportsPath + "/sales?entity=" + seed.CodeAgency + "&": "Ventas por entidad · Agencia El Ávila",
		reportsPath + "/levels?": "Reparto · Banca La Fortuna", reportsPath + "/waterfall?": "De la venta al resultado · Banca La Fortuna",
		reportsPath + "/balances?": "Saldos por entidad · Banca La Fortuna", reportsPath + "/expired-prizes?": "Premios vencidos",
		ticketsPath + "?": "Tickets", customersPath + "?": "Clientes", walletsPath + "?": "Saldos y crédito", closesPath + "/missing?": "Cierres que faltan",
	} {
		w := p.get(address + "format=xlsx&lang=es")
		require.Equal(t, http.StatusOK, w.Code, "%s: %s", address, w.Body)
		book, err := excelize.OpenReader(w.Body)
		require.NoError(t, err)
		rows, err := book.GetRows(book.GetSheetName(0))
		require.NoError(t, err)
		heads := slices.IndexFunc(rows, func(row []string) bool { return len(row) == 0 })
		require.Positive(t, heads, address)
		assert.Equal(t, title, rows[0][0], address)
		assert.Regexp(t, `^Hecho: \d\d/\d\d/\d{4} \d\d:\d\d, .+`, rows[heads-1][0], address)
		if strings.HasPrefix(address, reportsPath+"/sales") {
			assert.Regexp(t, `^Desde: \d\d/\d\d/\d{4}$`, rows[heads-4][0], address)
			assert.Regexp(t, `^Moneda: `, rows[heads-2][0], address)
		}
	}
}
