package test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
)

// The tests of the panel share a platform, and each moves the wallet of an entity of its own:
//
//	simulator    TAQ-001, whose client the simulator's example pays for
//	assign       TAQ-002
//	no scripts   TAQ-101
//	pages        GRU-001
//	refund       none

// announce makes a payment request of an entity, as the bank's query will ask for it.
func (p *panel) announce(code, client, amount string) {
	p.t.Helper()
	a := p.post("/bank/payment-requests", p.login(panelUser),
		map[string]any{"entityId": seed.ID("entity", code), "amount": amount, "client_id": client, "client_phone": "04149998877"}, "panel-"+code)
	require.Equal(p.t, http.StatusCreated, a.status, string(a.raw))
}

// bankDay makes calls that fill the lists: a credited payment, one that fits no request, and a conflict.
func (p *panel) bankDay() {
	p.t.Helper()
	p.announce(seed.CodeGroup, "V33444555", "210.00")
	require.Equal(p.t, `200 {"status":true}`, p.bank("/BancoConsulta", map[string]any{"IdCliente": "V33444555", "Monto": "210.00", "TelefonoComercio": seed.MerchantPhone}))
	notify := func(reference, amount, answer string) {
		require.Equal(p.t, `200 {"abono":`+answer+`}`, p.bank("/BancoNotifica", map[string]any{
			"Referencia": reference, "BancoEmisor": "0134", "Monto": amount, "CodigoRed": "00", "TelefonoEmisor": "04149998877",
			"Concepto": "Un concepto tan largo como lo deja escribir la aplicación de un banco",
		}), reference)
	}
	notify("000000210001", "210.00", "true")
	notify("000000210001", "211.00", "false")
	notify("123456789012345678901234567890123456", "9999999.99", "false")
}

// importStatement imports a statement through its page and returns where its comparison is.
func (p *panel) importStatement() string {
	p.t.Helper()
	today := time.Now().Format(time.DateOnly)
	file := filepath.Join(p.t.TempDir(), "statement.csv")
	lines := "date;reference;amount;bank\n" + today + ";000000210001;210.00;0134\n" + today + ";000099999999;12.34;0134\n"
	require.NoError(p.t, os.WriteFile(file, []byte(lines), 0o600))
	p.visit("/admin/bank/statements")
	p.tab.Upload("#file", file)
	p.tab.Follow(`main form button`)
	require.NotEmpty(p.t, p.tab.Text(".notice"), "it was imported")
	return browser.Value[string](p.tab, `location.pathname`)
}

// await opens a page until it has an element: refused calls are written down a moment later.
func (p *panel) await(path, selector string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		p.visit(path)
		return p.count(selector) > 0
	}, 15*time.Second, 100*time.Millisecond, "%s on %s", selector, path)
}

// up is by how much an amount has grown.
func (p *panel) up(from, to string) string {
	p.t.Helper()
	cents := func(amount string) money.Amount {
		n, err := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
		require.NoError(p.t, err)
		return money.Amount(n)
	}
	return (cents(to) - cents(from)).Format(2)
}

// phase chooses which of the bank's calls the simulator makes.
func (p *panel) phase(phase string) {
	p.t.Helper()
	p.tab.Click(`input[name="phase"][value="` + phase + `"]`)
}

// exchanged sends the simulator's form, confirms its notification and returns status and body of each answer.
func (p *panel) exchanged() []string {
	p.t.Helper()
	notifies := !browser.Value[bool](p.tab, `document.querySelector("input[name=phase][value=A]").checked`)
	p.tab.Click("form.card button")
	if notifies {
		p.tab.Until(`document.querySelector("#result [name=asked]") !== null`)
		p.tab.Click("#result [name=asked]")
	}
	p.tab.Until(`document.querySelectorAll("#result .exchange, #result .problem").length > 0`)
	require.Equal(p.t, "/admin/bank/simulator", p.where(), "the page stays")
	return p.answers()
}

func (p *panel) answers() []string {
	p.t.Helper()
	return browser.Value[[]string](p.tab, `Array.from(document.querySelectorAll("#result .exchange .answer"), e => e.textContent.split("\n").filter((line, at, all) => at === 0 || at === all.length - 1).join(" "))`)
}

// reference returns the reference in the simulator's form.
func (p *panel) reference() string {
	p.t.Helper()
	return browser.Value[string](p.tab, `document.querySelector("[name=\"field.Referencia\"]").value`)
}

func panelSimulator(p *panel) {
	t := p.t
	p.enter("/admin/bank/simulator")
	reference := p.reference()
	require.Empty(t, browser.Value[string](p.tab, `document.querySelector("#token").value`), "the token is the operator's to type")
	p.tab.Fill("#token", p.bankToken())
	require.Equal(t, []string{`200 {"status":true}`, `200 {"abono":true}`}, p.exchanged(), "the example works as it stands")
	requireNoToken(t, p)
	p.tab.Narrow()
	require.True(t, browser.Value[bool](p.tab, fits), "the result on a phone")
	booked := p.get("/bank/payments?reference="+reference, p.login(panelUser)).list() // others sell at the point meanwhile
	require.Len(t, booked, 1)
	require.Equal(t, []any{"150.00", "credited", seed.ID("entity", seed.CodeTicketPoint).String()}, []any{booked[0]["amount"], booked[0]["state"], booked[0]["entityId"]})

	p.await("/admin/bank/events?reference="+reference, "tbody tr")
	require.Equal(t, 1, p.count("tbody tr"))
	p.tab.Follow("tbody a")
	require.Contains(t, p.texts("dl.facts dd"), "We answered yes")
	story := p.texts(".split > div:first-child .story > li.good strong")
	require.Equal(t, []string{"Query", "Payment request", "Notification", "Payment", "Deposit"}, story)
	var seen []string
	for _, kind := range []string{"events", "requests", "payments"} {
		links := browser.Value[[]string](p.tab, `Array.from(document.querySelectorAll(".story a[href^='/admin/bank/`+kind+`/']"), a => a.pathname)`)
		require.NotEmpty(t, links, kind)
		seen = append(seen, links...)
	}
	ours, _ := p.menu()
	for _, path := range append(seen, ours...) {
		p.visit(path)
		requireNoToken(t, p)
	}
	p.visit("/admin/bank")
	token := p.bankToken()
	require.Contains(t, browser.Value[string](p.tab, `document.querySelector("main").textContent`), token[len(token)-4:], "folded")
}

// requireNoToken wants a page that holds nothing of the bank's token but its end.
func requireNoToken(t *testing.T, p *panel) {
	t.Helper()
	page, token := strings.ToLower(browser.Value[string](p.tab, `document.documentElement.outerHTML`)), strings.ToLower(p.bankToken())
	assert.NotContains(t, page, token, p.where())
	assert.NotContains(t, page, token[len(token)-12:], p.where())
}

func panelNews(p *panel) {
	t := p.t
	p.enter("/admin/bank/events")
	p.await("/admin/bank/events", "#news")
	rows := p.count("tbody tr")
	box := func() string {
		return browser.Value[string](p.tab, `JSON.stringify((document.querySelector(".table") || document.querySelector(".empty")).getBoundingClientRect())`)
	}
	place := box()
	require.Zero(t, p.count("#news a"))

	other := &panel{platform: p.platform, tab: p.tab.Another()}
	other.visit("/admin/bank/simulator")
	reference := other.reference()
	other.tab.Fill("#token", p.bankToken())
	other.phase("B")
	other.tab.Fill("[name='field.Monto']", "63.10")
	other.tab.Fill("[name='field.TelefonoEmisor']", "04167770001")
	require.Equal(t, []string{`200 {"abono":false}`}, other.exchanged())

	p.tab.Until(`document.querySelector("#news a") !== null`)
	require.Equal(t, place, box(), "what is being read does not move")
	require.Equal(t, rows, p.count("tbody tr"))
	p.tab.Follow("#news a")
	require.Contains(t, strings.Join(p.texts("tbody tr"), "\n"), reference)
	require.Zero(t, p.count("#news a"))
}

func panelWrongToken(p *panel) {
	t := p.t
	p.enter("/admin/bank/simulator")
	p.tab.Fill("#token", p.bankToken())
	p.tab.Choose("#scenario", "wrong_token")
	answers := p.exchanged()
	require.Len(t, answers, 2)
	for _, answer := range answers {
		require.True(t, strings.HasPrefix(answer, "401 "), answer)
	}
	p.await("/admin/bank/alerts?kind=token_wrong&open=1", "tbody tr")
	require.Equal(t, 1, p.count("tbody tr"))
	require.Contains(t, p.tab.Text("tbody"), "127.0.0.1")
	p.await("/admin/bank/events?outcome=token", "tbody tr:nth-child(2)") // both are in, so that none opens the alert again

	p.visit("/admin/bank/alerts?kind=token_wrong&open=1")
	p.tab.Follow("tbody button")
	require.NotEmpty(t, p.tab.Text(".notice"))
	p.visit("/admin/bank/alerts?kind=token_wrong&open=1")
	require.Zero(t, p.count("tbody tr"))
	p.visit("/admin/bank/alerts?kind=token_wrong")
	require.Equal(t, 1, p.count("tbody tr"))
	require.Zero(t, p.count("tbody button"))
}

func panelWithoutScripts(p *panel) {
	t := p.t
	const client, amount = "V22333444", "61.50"
	p.announce(seed.CodeOtherPoint, client, amount)
	before := p.wallet(seed.CodeOtherPoint)
	p.tab.NoScripts()
	p.enter("/admin/bank/simulator")
	reference := p.reference()
	p.tab.Fill("#token", p.bankToken())
	p.tab.Fill("[name='field.IdCliente']", client)
	p.tab.Fill("[name='field.Monto']", amount)
	p.tab.Fill("[name='field.TelefonoEmisor']", "04149998877")
	p.tab.Follow("form.card button")
	p.tab.Fill("#token", p.bankToken())
	p.tab.Follow("#result [name=asked]")
	require.Equal(t, []string{`200 {"status":true}`, `200 {"abono":true}`}, p.answers())
	require.Equal(t, reference, p.reference(), "the fields are as typed")
	require.Empty(t, browser.Value[string](p.tab, `document.querySelector("#token").value`), "but for the token")
	requireNoToken(t, p)
	require.Equal(t, amount, p.up(before, p.wallet(seed.CodeOtherPoint)))
}

// unreconciled makes the simulator notify a payment that fits no request, and opens its page.
func (p *panel) unreconciled(amount, phone string) {
	p.t.Helper()
	p.enter("/admin/bank/simulator")
	reference := p.reference()
	p.tab.Fill("#token", p.bankToken())
	p.phase("B")
	p.tab.Fill("[name='field.Monto']", amount)
	p.tab.Fill("[name='field.TelefonoEmisor']", phone)
	require.Equal(p.t, []string{`200 {"abono":false}`}, p.exchanged())
	p.visit("/admin/bank/payments?list=unreconciled")
	link := browser.Value[string](p.tab, `Array.from(document.querySelectorAll("tbody tr")).find(r => r.innerText.includes(`+quote(reference)+`)).querySelector("a").pathname`)
	p.visit(link)
}

// sendThrice sends the form twice at once from the page, as an impatient user does, and then by its button.
func (p *panel) sendThrice(form string) {
	p.t.Helper()
	statuses := browser.Value[[]int](p.tab, fmt.Sprintf(`(() => {
		const form = document.querySelector(%s)
		const send = () => fetch(form.action, {method: "POST", body: new URLSearchParams(new FormData(form))}).then(r => r.status)
		return Promise.all([send(), send()])
	})()`, quote(form)))
	require.Equal(p.t, []int{http.StatusOK, http.StatusOK}, statuses)
	p.tab.Follow(form + " button")
	require.NotEmpty(p.t, p.tab.Text(".notice"))
	require.Zero(p.t, p.count(".problem"))
	require.Zero(p.t, p.count("main form"), "nothing is left to do")
}

func panelAssigns(p *panel) {
	t := p.t
	before := p.wallet(seed.CodeTicketPoint2)
	p.unreconciled("77.31", "04167770002")
	p.open(".actions > details.confirm")

	p.tab.Expect("404 POST")
	p.tab.Fill("#a-entity", "NOBODY")
	p.tab.Follow(`form[action$="/assign"] button`)
	require.NotEmpty(t, p.tab.Text(".problem"))
	require.Equal(t, "NOBODY", browser.Value[string](p.tab, `document.querySelector("#a-entity").value`))
	require.Equal(t, before, p.wallet(seed.CodeTicketPoint2))

	p.tab.Fill("#a-entity", seed.CodeTicketPoint2)
	p.tab.Until(`document.querySelectorAll("#b-a-entity [role=option]").length === 1`)
	p.tab.Click("#b-a-entity [role=option]")
	p.sendThrice(`form[action$="/assign"]`)
	require.Contains(t, p.tab.Text(".head"), "Assigned")
	require.Contains(t, p.tab.Text("dl.facts"), "Taquilla Plaza Sucre")
	require.Equal(t, "77.31", p.up(before, p.wallet(seed.CodeTicketPoint2)), "booked once")
}

func panelRefunds(p *panel) {
	t := p.t
	p.unreconciled("78.42", "04167770003")
	p.open(".head details.menu")
	p.open(".menu details.confirm")
	p.tab.Fill("#r-note", "given back in cash")
	p.sendThrice(`form[action$="/refund"]`)
	require.Contains(t, p.tab.Text(".head"), "Refunded")
	require.Contains(t, p.tab.Text("dl.facts"), "given back in cash")
	p.visit("/admin/bank/payments?list=refunded")
	require.Equal(t, 1, p.count("tbody tr"))
}
