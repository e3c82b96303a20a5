package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

const walletsPath = "/admin/wallets"

// walletPath is the page of a wallet of the seed.
func walletPath(code, currency string) string {
	return walletsPath + "/" + seed.ID("wallet", code, currency).String()
}

func TestAMovementIsConfirmedInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	at := walletPath(seed.CodeTicketPoint, "VES")
	assert.Equal(t, http.StatusSeeOther, p.get(at).Code, "anonymous")
	p.enter(t, "admin@banca.test")
	list := p.get(walletsPath + "?currency=VES").Body.String()
	assert.Contains(t, list, `href="`+at+`"`)
	assert.NotContains(t, list, "US dollar</td>")

	form := url.Values{"amount": {"1.250,50"}, "reference": {"R-1"}, "note": {"efectivo"}, "key": {uuid.NewString()}}
	_, asked := p.send(t, at+"/deposit", at+"/deposit", http.StatusOK, form)
	assert.Contains(t, asked, "Depositar 1.250,50 Bs")
	assert.Contains(t, asked, `name="sure"`)
	assert.Regexp(t, `Entra en</dt>(?s:.{0,200})saldo de 0,00 Bs a 1\.250,50 Bs`, asked, "the balance before and after")
	form.Set("sure", "1")
	p.send(t, at+"/deposit", at+"/deposit", http.StatusSeeOther, form)
	p.send(t, at+"/deposit", at+"/deposit", http.StatusSeeOther, form) // pressed twice
	page := p.get(at).Body.String()
	assert.Equal(t, 1, strings.Count(page, "efectivo"), "one effect")
	assert.Contains(t, page, "Depósito")
	assert.Contains(t, page, "efectivo")

	back := url.Values{"direction": {"to_parent"}, "amount": {"50,50"}, "reference": {"R-3"}}
	_, asked = p.send(t, at+"/transfer", at+"/transfer", http.StatusOK, back)
	assert.Regexp(t, `Sale de</dt>(?s:.{0,200})saldo de 1\.250,50 Bs a 1\.200,00 Bs`, asked)
	assert.Regexp(t, `Entra en</dt>(?s:.{0,200})saldo de 0,00 Bs a 50,50 Bs`, asked, "both wallets are named")
	back.Set("direction", "from_parent")
	_, refused := p.send(t, at+"/transfer", at+"/transfer", http.StatusUnprocessableEntity, back)
	assert.Contains(t, refused, "El saldo y el crédito no alcanzan", "the wallet above has nothing")

	_, refused = p.send(t, at+"/withdrawal", at+"/withdrawal", http.StatusUnprocessableEntity, url.Values{"amount": {"900.000.000"}, "reference": {"R-2"}})
	assert.Contains(t, refused, "El saldo y el crédito no alcanzan")
	_, refused = p.send(t, at+"/withdrawal", at+"/withdrawal", http.StatusUnprocessableEntity, url.Values{"amount": {"900.000.000"}, "reference": {"R-2"}, "sure": {"1"}})
	assert.Contains(t, refused, "El saldo y el crédito no alcanzan", "also without the question")
	_, refused = p.send(t, at+"/deposit", at+"/deposit", http.StatusConflict, url.Values{"amount": {"1"}, "reference": {"R-1"}, "sure": {"1"}})
	assert.Contains(t, refused, "esta referencia")
	_, refused = p.send(t, at+"/deposit", at+"/deposit", http.StatusUnprocessableEntity, url.Values{"amount": {"x"}, "reference": {""}})
	assert.Contains(t, refused, `id="summary"`)

	transaction := regexp.MustCompile(`name="transaction" value="([^"]+)"`).FindStringSubmatch(page)
	require.Len(t, transaction, 2)
	p.send(t, at, at+"/reverse", http.StatusSeeOther, url.Values{"transaction": {transaction[1]}, "note": {"error"}})
	assert.Contains(t, p.get(at).Body.String(), "Reversión de depósito")
	_, refused = p.send(t, at, at+"/reverse", http.StatusConflict, url.Values{"transaction": {transaction[1]}})
	assert.Contains(t, refused, "ya fue revertido")

	file := p.get(at + "?format=csv")
	assert.Contains(t, file.Body.String(), ";Depósito;1250,50;")
	assert.Equal(t, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", p.get(walletsPath+"?format=xlsx").Header().Get("Content-Type"))
}

func TestCreditAndRatesInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	credit := walletPath(seed.CodeTicketPoint, "USD") + "/credit"
	p.send(t, credit, credit, http.StatusSeeOther, url.Values{"amount": {"2.000,00"}, "reason": {"buen cliente"}})
	page := p.get(credit).Body.String()
	assert.Contains(t, page, "buen cliente")
	assert.Contains(t, page, "2.000,00")
	p.send(t, credit, credit, http.StatusUnprocessableEntity, url.Values{"amount": {"-1"}, "reason": {"x"}})

	p.send(t, "/admin/currencies", "/admin/currencies/new", http.StatusSeeOther, url.Values{"code": {"EUR"}, "name": {"Euro"}, "symbol": {"€"}, "digits": {"2"}, "status": {"active"}})
	_, refused := p.send(t, "/admin/currencies", "/admin/currencies/new", http.StatusConflict, url.Values{"code": {"EUR"}, "name": {"Euro"}, "digits": {"2"}, "status": {"active"}})
	assert.Contains(t, refused, "Ya hay una moneda")
	usd := "/admin/currencies/" + seed.ID("currency", "USD").String()
	p.send(t, usd, usd+"/rate", http.StatusSeeOther, url.Values{"date": {time.Now().Format(time.DateOnly)}, "currency": {"VES"}, "rate": {"245,6648"}})
	assert.Contains(t, p.get(usd).Body.String(), "1 USD = 245,6648 VES")
	assert.Regexp(t, `1 \S+ = 245,6648 \S+ · \d`, p.get("/admin/currencies").Body.String(), "the newest rate in the list")
	p.send(t, usd, usd+"/edit", http.StatusConflict, url.Values{"code": {"USX"}, "name": {"Dollar"}, "digits": {"2"}, "status": {"active"}})
	p.send(t, usd, usd+"/delete", http.StatusConflict, nil)
}

// A person makes a deposit and is refused a withdrawal beyond the limit, by clicks; every page fits a phone.
func TestMoneyInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	tab, server := enterInBrowser(t, p.engine)
	at := walletPath(seed.CodeTicketPoint, "VES")
	tab.Visit(server + at + "/deposit")
	tab.Fill("#amount", "1.500,00")
	assert.Equal(t, "1.500,00", tab.Text("[data-sum=expected]"), "the balance after the deposit")
	tab.Fill("#reference", "REC-77")
	tab.Click(".card button[type=submit]")
	tab.Until(`document.querySelector('#sure') !== null`)
	assert.Contains(t, chromium.Value[string](tab, `document.querySelector('#sure').innerText`), "1.500,00 Bs")
	tab.Click("#sure button[type=submit]")
	tab.Until(`location.pathname === "` + at + `" && document.body?.innerText.includes("REC-77")`)

	tab.Visit(server + at + "/withdrawal")
	tab.Expect("422 POST")
	tab.Fill("#amount", "500.000.000,00")
	assert.Equal(t, "−499.998.500,00", tab.Text("[data-sum=expected]"), "the balance after the withdrawal")
	tab.Fill("#reference", "REC-78")
	tab.Click(".card button[type=submit]")
	tab.Until(`document.querySelector('[role=alert]') !== null`)
	assert.Contains(t, chromium.Value[string](tab, `document.querySelector('[role=alert]').innerText`), "no alcanzan")
}
