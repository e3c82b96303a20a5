package test

import (
	"fmt"
	"strconv"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// slowScript lets a test delay one request of a page: window.slow is "catalogue" or "sale", of which the next one is answered after free(), or lost after
// lose(). slowed counts what was delayed, and sold has the currency of each sale that leaves the page.
const slowScript = `{
	const plain = fetch
	Object.assign(window, {slow: "", slowed: 0, sold: []})
	window.fetch = async (address, options = {}) => {
		const path = String(address), kind = path.includes("/sales/catalogue") ? "catalogue" : options.method === "POST" && path.endsWith("/sales/tickets") ? "sale" : ""
		if (kind === "sale") sold.push(JSON.parse(options.body).currency)
		const answer = () => plain(address, options)
		if (!kind || kind !== slow) return answer()
		window.slow = ""
		const free = new Promise((done, fail) => Object.assign(window, {free: done, lose: () => fail(new TypeError("cut"))}))
		slowed++
		const early = kind === "sale" ? answer() : null
		await free
		return early || answer()
	}
}`

// opensWithDollars opens the page of a ticket point with wallets in VES, COP and USD, with a line that can be delayed.
func (c *counter) opensWithDollars() {
	c.t.Helper()
	c.tab.Before(slowScript)
	c.sellsDollars()
	c.reload()
	c.online()
	c.choosesWithTime()
	c.changesCurrency("Bs")
}

// delays keeps the next catalogue or sale of the page back, once a key has asked for it.
func (c *counter) delays(kind, key string) {
	c.t.Helper()
	before := browser.Value[int](c.tab, `(window.slow = "`+kind+`", slowed)`)
	c.keys(key)
	c.tab.UntilWithin(testkit.WaitTimeout, fmt.Sprintf(`slowed === %d`, before+1))
}

// goesOn answers the delayed request, or loses it.
func (c *counter) goesOn(way string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `(window.`+way+`(), true)`)
}

func (c *counter) saysSoon(text string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#said").innerText.includes(`+quote(text)+`)`)
}

// sellsIn is the currency that the page shows for a total, after a symbol of it was awaited, and of its catalogue.
func (c *counter) sellsIn(symbol, code string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#currency").textContent === `+quote(symbol))
	assert.Equal(c.t, code, browser.Value[string](c.tab, `import("/admin/static/pos-desk.js").then(({desk}) => desk.catalogue.currency.code + (desk.currency && desk.currency !== desk.catalogue.currency.code ? " " + desk.currency : ""))`))
}

func (c *counter) entry() string {
	c.t.Helper()
	return browser.Value[string](c.tab, `document.querySelector("#number").value + " " + document.querySelector("#amount").value`)
}

// requireTicket is a ticket in a currency with these stakes.
func (c *counter) requireTicket(serial, currency string, stakes map[string]string) {
	c.t.Helper()
	assert.Equal(c.t, currency, c.ticket(serial)["currency"])
	assert.Equal(c.t, stakes, c.stakes(serial))
}

// The answer to a change of the currency arrives late: what is typed meanwhile is of the new currency, an Enter before the answer adds nothing and says so,
// and a second press asks for nothing.
func counterChangesItsCurrencyLate(c *counter) {
	t := c.t
	c.opensWithDollars()
	c.keys("07", "99")
	c.delays("catalogue", "$")
	assert.Equal(t, " ", c.entry(), "what was typed is of the currency before")
	c.keys("$")
	c.saysSoon("Se cambia la moneda")
	c.keys("05", "200")
	assert.Equal(t, "Bs", c.tab.Text("#currency"))
	c.goesOn("free")
	c.sellsIn("COL$", "COP")
	assert.Equal(t, 1, browser.Value[int](c.tab, `slowed`))
	assert.Equal(t, "05 200", c.entry(), "it stays")
	c.keys(kb.Enter, kb.F12)
	c.requireTicket(c.sold(), "COP", map[string]string{"5": "200.00"})

	c.delays("catalogue", "$")
	c.keys("05", "20", kb.Enter, "06", "30", kb.Enter, kb.F12)
	c.goesOn("free")
	c.sellsIn("$", "USD")
	c.keys("07", "40", kb.Enter, kb.F12)
	c.saysSoon("la moneda cambiaba")
	assert.Equal(t, "05 20", c.entry(), "nothing is taken after an Enter that was not heard")
	c.keys(kb.Escape, kb.Escape, "08", "3", kb.Enter, kb.F12)
	c.requireTicket(c.sold(), "USD", map[string]string{"8": "3.00"})
	assert.Equal(t, []string{"COP", "USD"}, browser.Value[[]string](c.tab, `sold`))
}

// A change of the currency that fails leaves everything as it was, also where the catalogue was renewed meanwhile. What was typed for the new currency is
// not taken.
func counterFailsToChangeItsCurrency(c *counter) {
	t := c.t
	c.opensWithDollars()
	c.keys("07", "99")
	c.delays("catalogue", "$")
	browser.Value[bool](c.tab, `import("/admin/static/pos-desk.js").then(({renew}) => renew()).then(() => true)`)
	c.goesOn("lose")
	c.saysSoon("La moneda no se cambió: se vende en Bs. No hubo respuesta")
	assert.Equal(t, "07 99", c.entry())
	c.sellsIn("Bs", "VES")
	assert.NotEqual(t, "–", c.tab.Text("#quota"))
	c.keys(kb.Enter)
	assert.Equal(t, 1, c.count("#lines .row"))
	c.keys("-")

	c.delays("catalogue", "$")
	c.keys("05", "2")
	c.goesOn("lose")
	c.saysSoon("La moneda no se cambió")
	c.keys("0", kb.Enter, kb.F12)
	c.saysSoon("la moneda cambiaba")
	assert.Zero(t, c.count("#lines .row"), "an amount in pesos is not one in bolívares")
	c.keys(kb.Escape, kb.Escape, "09", "3", kb.Enter, kb.F12)
	c.requireTicket(c.sold(), "VES", map[string]string{"9": "3.00"})
	assert.Equal(t, []string{"VES"}, browser.Value[[]string](c.tab, `sold`))
}

// A sale in the background ends after the currency was changed: it is of its own currency, and so is the ticket that is composed since. A ticket of the other
// currency is taken up once the change has ended, and then with its currency.
func counterSellsWhileItsCurrencyChanges(c *counter) {
	t := c.t
	c.opensWithDollars()
	c.keys("05", "20", kb.Enter)
	c.delays("sale", kb.F12)
	c.keys("$")
	c.saysSoon("Espere el resultado de la venta")
	assert.Equal(t, "Bs", c.tab.Text("#currency"), "a ticket on its way keeps its currency")
	c.keys(kb.F2)
	c.changesCurrency("$")
	c.keys("06", "2", kb.Enter)
	c.goesOn("free")
	late := c.sold()
	assert.Contains(t, c.tab.Text("#outcome"), "20,00 Bs")
	assert.Equal(t, 1, c.count("#lines .row"))
	c.requireTicket(late, "VES", map[string]string{"5": "20.00"})
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome span").innerText.slice(0, 12) !== `+quote(late)+` && document.querySelector("#outcome.ok") !== null`)
	c.requireTicket(c.sold(), "USD", map[string]string{"6": "2.00"})

	c.changesCurrency("Bs")
	c.keys("10", "4", kb.Enter)
	left := browser.Value[string](c.tab, `new Promise(done => {
		const request = indexedDB.open("pos", 1)
		request.onsuccess = () => request.result.transaction("drafts").objectStore("drafts").getAll().onsuccess = e => { request.result.close(); done(e.target.result[0].key) }
	})`)
	c.keys(kb.F2)
	c.changesCurrency("$")
	c.undoes()
	c.sellsIn("Bs", "VES")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row").length === 1`)
	c.delays("catalogue", kb.F2+"$")
	c.undoes()
	c.saysSoon("Se cambia la moneda")
	c.goesOn("lose")
	c.saysSoon("La moneda no se cambió")
	c.undoes()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row").length === 1`)
	c.keys(kb.F12)
	c.requireTicket(c.sold(), "VES", map[string]string{"10": "4.00"})
	require.Contains(t, c.journal(), left, "with the key of the ticket")
	assert.Equal(t, []string{"VES", "USD", "VES"}, browser.Value[[]string](c.tab, `sold`))
}

// undoes presses Ctrl Z.
func (c *counter) undoes() {
	c.t.Helper()
	browser.Value[bool](c.tab, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "z", ctrlKey: true, bubbles: true}))`)
}

// A ticket that was refused in the background is not taken up while the currency changes, which would drop it; afterwards it is, in its own currency. Where the
// change for it fails it stays behind.
func counterTakesUpAfterAChange(c *counter) {
	t := c.t
	c.opensWithDollars()
	c.tab.Allow("433 ")
	c.limit("26", "40.00")
	c.keys("26", "50", kb.Enter)
	c.delays("sale", kb.F12)
	c.keys(kb.F2)
	c.goesOn("free")
	resume := `document.querySelector('#pending [data-do="resume"]')`
	c.tab.UntilWithin(testkit.WaitTimeout, resume+` !== null`)
	takes := func() { browser.Value[bool](c.tab, resume+`.click() ?? true`) }
	c.delays("catalogue", "$")
	takes()
	c.saysSoon("Se cambia la moneda")
	assert.Zero(t, c.count("#lines .row"))
	c.goesOn("free")
	c.sellsIn("COL$", "COP")
	browser.Value[bool](c.tab, `(window.slow = "catalogue", true)`)
	takes()
	c.tab.UntilWithin(testkit.WaitTimeout, `slow === ""`)
	c.goesOn("lose")
	c.saysSoon("La moneda no se cambió: se vende en COL$")
	takes()
	c.sellsIn("Bs", "VES")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row").length === 1`)
	assert.Contains(t, c.tab.Text("#total"), strconv.Itoa(50))
	c.keys(kb.F2)
}
