package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/models"
)

// book posts an amount of a type on the wallet of the first ticket point.
func (p *bankPanel) book(t *testing.T, kind string, amount int64) {
	t.Helper()
	books, ves := ledger.New(p.env.PG, ledger.Options{Zone: time.UTC}), seed.ID("currency", "VES")
	point := seed.ID("entity", seed.CodeTicketPoint)
	wallets, err := books.MainWallets(t.Context(), ves, point, rootID)
	require.NoError(t, err)
	id := uuid.Must(uuid.NewV7())
	transaction := ledger.Transaction{ID: id, Type: kind, EntityID: point, CurrencyID: ves, Amount: 1, TicketID: id, At: time.Now().UTC().Truncate(time.Microsecond)}
	transaction.Postings = []ledger.Posting{{WalletID: wallets[0], Amount: -money.Amount(amount)}, {WalletID: wallets[1], Amount: money.Amount(amount)}}
	require.NoError(t, p.env.PG.Retried(t.Context(), func(tx pgx.Tx) error { return books.PostTx(t.Context(), tx, wallets, transaction) }))
}

// openDay opens today for the first ticket point and returns the address of its page.
func (p *bankPanel) openDay(t *testing.T, opening string) string {
	t.Helper()
	to, _ := p.send(t, closesPath, closesPath, 303, url.Values{
		"entity": {seed.CodeTicketPoint}, "currency": {"VES"}, "day": {businessday.Of(time.Now(), time.UTC).String()}, "opening": {opening},
	})
	page, _, _ := strings.Cut(to, "?")
	return page
}

func TestClosesInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	assert.Contains(t, p.get(closesPath).Body.String(), "Aún no hay cierres")
	p.book(t, models.TransactionSale, 1234_50)
	today := businessday.Of(time.Now(), time.UTC).String()
	assert.Contains(t, p.get(closesPath+"/missing?date="+today).Body.String(), `href="`+entityPath(seed.CodeTicketPoint)+`">Taquilla Doña Peña</a>`)
	form := url.Values{"entity": {"NOWHERE"}, "currency": {"VES"}, "day": {"2026-01-01"}}
	p.send(t, closesPath, closesPath, 404, form)
	form.Set("entity", seed.CodeTicketPoint)
	form.Set("day", businessday.Of(time.Now(), time.UTC).AddDays(1).String())
	_, body := p.send(t, closesPath, closesPath, 422, form)
	assert.Contains(t, body, "desde que comienza")
	page := p.openDay(t, "100")
	assert.Regexp(t, `href="`+page+`">\d\d/\d\d/\d{4}</a>`, p.get(closesPath+"/missing?date="+today).Body.String(), "since the earliest open day")
	list := p.get(closesPath).Body.String()
	assert.Regexp(t, `(?s)Debe haber \(Bs\)</.*1\.334,50`, list, "the expected cash")
	assert.NotRegexp(t, `<th[^>]*>(<a[^>]*>)?(Día|Estado|Diferencia)<`, list, "what all rows have in common is said once, and an open day has no variance")
	shown := p.get(page).Body.String()
	for _, text := range []string{"1.234,50", "1.334,50", "Fondo inicial", `name="n-20000"`, "1.234,50 vendidos − 0,00 anulados"} {
		assert.Contains(t, shown, text)
	}
	_, body = p.send(t, page, page+"/sum", 200, url.Values{"n-20000": {"6"}, "other": {"34,50"}, "opening": {"100,00"}})
	assert.Contains(t, body, "−100,00", "the variance of the typed sums")
	assert.Contains(t, body, `value="34,50"`)
	_, body = p.send(t, page, page+"/close", 422, url.Values{"n-20000": {"six"}, "other": {"1"}})
	assert.Contains(t, body, `id="h-n-20000"`)
	_, body = p.send(t, page, page+"/close", 422, url.Values{"other": {"1,005"}})
	assert.Contains(t, body, `id="h-other"`)
	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!`)
	for _, at := range []string{closesPath, closesPath + "/missing", closesPath + "/balance", page, closesPath + "/balance?date=" + today} {
		for _, language := range []string{english, spanish} {
			separator := "?"
			if strings.Contains(at, "?") {
				separator = "&"
			}
			w := p.get(at + separator + "lang=" + language)
			require.Equal(t, http.StatusOK, w.Code, at)
			assert.NotRegexp(t, missing, w.Body.String(), at)
		}
	}
	p.send(t, page, page+"/close", 303, url.Values{"n-20000": {"6"}, "other": {"134,50"}, "opening": {"100"}, "note": {"ok <b>"}, "key": {"k"}})
	shown = p.get(page).Body.String()
	for _, text := range []string{"Cerrado", "ok &lt;b&gt;", "1.200,00"} {
		assert.Contains(t, shown, text)
	}
	assert.NotContains(t, shown, "/close\"")
	p.send(t, page, page+"/close", 303, url.Values{"n-20000": {"6"}, "other": {"134,50"}, "opening": {"100"}, "note": {"ok <b>"}, "key": {"k"}})
	p.send(t, page, page+"/close", 409, url.Values{"other": {"1"}, "key": {"other"}})
	p.send(t, page, page+"/sum", 409, url.Values{"other": {"1"}})
	assert.Equal(t, "image/png", p.get(page+"/receipt").Header().Get("Content-Type"))
	assert.Contains(t, p.get(closesPath+"?format=csv").Body.String(), "Taquilla Doña Peña")
	different := regexp.MustCompile(`href="([^"]*different=1[^"]*)">Con diferencia`).FindStringSubmatch(p.get(closesPath).Body.String())
	assert.NotContains(t, p.get(strings.ReplaceAll(different[1], "&amp;", "&")).Body.String(), page, "what was counted is what was expected")
	assert.Contains(t, p.get(closesPath+"?from=2026-02-01&to=2026-01-01").Body.String(), "366 días")
	assert.Contains(t, p.get(closesPath+"/missing").Body.String(), "han cerrado")
	assert.Equal(t, http.StatusNotFound, p.get(closesPath+"/"+uuid.NewString()).Code)

	_, err := p.env.PG.Pool.Exec(t.Context(), `ALTER TABLE daily_closes DISABLE TRIGGER daily_closes_final`)
	require.NoError(t, err)
	_, err = p.env.PG.Pool.Exec(t.Context(), `UPDATE daily_closes SET sales = sales + 1`)
	require.NoError(t, err)
	assert.Contains(t, p.get(closesPath+"/balance?date="+today).Body.String(), "No cuadra")
	p.deny(t, auth.ClosesWrite)
	assert.NotContains(t, p.get(closesPath).Body.String(), "Abrir un día")
}

// A cashier counts the drawer in a browser: the sums follow what is typed, and the day is closed with a variance. Without scripts a
// button adds up.
func TestACloseInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.book(t, models.TransactionSale, 1234_50)
	page := p.openDay(t, "100")
	tab, server := enterInBrowser(t, p.engine)
	for _, at := range []string{closesPath, closesPath + "/missing", closesPath + "/balance", page} {
		for _, resize := range []func(){tab.Narrow, tab.Wide} {
			resize()
			tab.Visit(server + at)
			assert.Empty(t, chromium.Value[[]string](tab, overflowing), at)
		}
	}
	assert.False(t, chromium.Value[bool](tab, `document.querySelector(".unscripted") !== null`), "the sums follow what is typed")
	tab.Fill("#n-20000", "6")
	tab.Fill("#other", "1.034,00")
	tab.Until(`document.querySelector("[data-sum=variance]").textContent === "+899,50"`)
	tab.Fill("#other", "34,00")
	tab.Until(`document.querySelector("[data-sum=variance]").textContent === "−100,50"`)
	assert.Equal(t, "1.234,00", tab.Text("[data-sum=counted]"))
	tab.Fill("#opening", "200")
	tab.Until(`document.querySelector("[data-sum=expected]").textContent === "1.434,50"`)
	tab.Fill("#opening", "100")
	tab.Fill("#note", "Falta un billete de cien")
	tab.Follow(`form[action$="/close"] button:not(.unscripted)`)
	shown := tab.Text("main")
	for _, text := range []string{"El día quedó cerrado", "−100,50", "Falta un billete de cien", "1.200,00"} {
		assert.Contains(t, shown, text)
	}
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
}

// Without scripts a button of the form adds up.
func TestACloseWithoutScripts(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.book(t, models.TransactionSale, 50_00)
	page := p.openDay(t, "")
	tab, server := enterInBrowser(t, p.engine)
	tab.NoScripts()
	tab.Visit(server + page)
	tab.Fill("#n-5000", "1")
	tab.Fill("#other", "2,50")
	tab.Follow(".unscripted")
	assert.Contains(t, tab.Text("main"), "+2,50")
	tab.Follow(`form[action$="/close"] button:not(.unscripted)`)
	assert.Contains(t, tab.Text("main"), "El día quedó cerrado")
	assert.Contains(t, tab.Text("main"), "+2,50")
}

// The form counts the means besides cash, as the counter does.
func TestACloseCountsMeans(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.book(t, models.TransactionSale, 234_50)
	_, err := p.env.PG.Pool.Exec(t.Context(), `INSERT INTO ticket_payments (ticket_id, wallet_id, line_no, means, currency_id, amount, value, created_at)
		SELECT b.id, o.wallet_id, 0, 'card', b.currency_id, 20000, 20000, now() FROM transactions b JOIN wallet_postings o ON o.transaction_id = b.id AND o.amount < 0`)
	require.NoError(t, err)
	page := p.openDay(t, "")
	assert.Contains(t, p.get(page).Body.String(), `name="m-card-VES"`)
	_, body := p.send(t, page, page+"/close", 422, url.Values{"other": {"34,50"}, "m-card-VES": {"x"}})
	assert.Contains(t, body, `id="h-m-card-VES"`)
	p.send(t, page, page+"/close", 303, url.Values{"other": {"34,50"}, "m-card-VES": {"190,00"}})
	shown := p.get(page).Body.String()
	for _, text := range []string{"190,00", "−10,00"} {
		assert.Contains(t, shown, text)
	}
}
