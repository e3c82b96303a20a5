package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// slowCloseScript delivers the event of a closed dialog after window.deliver() only, as a busy browser does.
const slowCloseScript = `addEventListener("close", event => {
	if (!event.isTrusted) return
	event.stopImmediatePropagation()
	window.deliver = () => { event.target.dispatchEvent(new Event("close")); return true }
}, true)`

// A dialog that Esc has closed takes no focus back from a field in which the cashier types on.
func counterTypesOnAfterADialog(c *counter) {
	t := c.t
	c.tab.Before(slowCloseScript)
	c.open()
	c.keys("05", "20", kb.Enter, "18")
	require.Equal(t, "amount", c.focus())
	c.tab.Press("ZZZZ9M2P4D6A" + kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").innerText !== ""`)
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `window.deliver !== undefined`)
	c.keys("10", kb.Enter)
	require.Equal(t, "number", c.focus())
	browser.Value[bool](c.tab, `deliver()`)
	assert.Equal(t, "number", c.focus())
	c.keys("22", "7", kb.Enter, kb.F12)
	assert.Equal(t, map[string]string{"5": "20.00", "18": "10.00", "22": "7.00"}, c.stakes(c.sold()))
}

// linesOf are the stakes of a sold ticket by "draw element".
func linesOf(ticket map[string]any) map[string]string {
	raw, _ := json.Marshal(ticket["items"]) //nolint:errchkjson // it was read from JSON
	var groups []struct {
		Draws []struct {
			DrawID string `json:"draw_id"`
			Lines  []struct {
				Selection any
				Amount    string
			}
		}
	}
	_ = json.Unmarshal(raw, &groups)
	found := map[string]string{}
	for _, group := range groups {
		for _, draw := range group.Draws {
			for _, line := range draw.Lines {
				found[fmt.Sprint(draw.DrawID, " ", line.Selection)] = line.Amount
			}
		}
	}
	return found
}

// stakes are the stakes of a sold ticket by element.
func (c *counter) stakes(serial string) map[string]string {
	found := map[string]string{}
	for line, amount := range linesOf(c.ticket(serial)) {
		_, element, _ := strings.Cut(line, " ")
		found[element] = amount
	}
	return found
}

// focus is the id of the element with the focus.
func (c *counter) focus() string {
	c.t.Helper()
	return browser.Value[string](c.tab, `document.activeElement.id`)
}

// value is the content of a field.
func (c *counter) value(id string) string {
	c.t.Helper()
	return browser.Value[string](c.tab, `document.getElementById("`+id+`").value`)
}

// Enter after the number, the habit of other systems, sells nothing: without an amount it asks whether the last one is meant.
func counterTypesAsElsewhere(c *counter) {
	t := c.t
	c.open()
	c.keys("05", kb.Enter, "20", kb.Enter, "18", kb.Enter, "10", kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"), c.tab.Text("#said"))
	c.keys(kb.F12)
	assert.Equal(t, map[string]string{"5": "20.00", "18": "10.00"}, c.stakes(c.sold()))

	c.keys("21", "10", kb.Enter, "22", kb.Enter)
	assert.Contains(t, c.tab.Text("#said.ask"), "22 Camello por 10,00")
	c.keys(kb.F12)
	assert.Equal(t, 1, c.count("#lines .row"), "F12 answers no question")
	c.tab.Fill("#received", "500")
	c.keys(kb.Enter)
	assert.Equal(t, 1, c.count("#lines .row"), "Enter after the amount received answers no question")
	assert.Contains(t, c.tab.Text("#said.ask"), "22 Camello por 10,00")
	assert.Len(t, c.journal(), 1)
	c.shot("asked")
	c.keys(kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"))
	c.keys("23", "7", kb.Enter, kb.F12)
	assert.Equal(t, map[string]string{"21": "10.00", "22": "10.00", "23": "7.00"}, c.stakes(c.sold()))
}

// What is typed after a sale is the number of the next ticket, also if the amount received was typed last.
func counterKeepsTheFocus(c *counter) {
	t := c.t
	c.open()
	for first, sells := range map[string]string{"05": kb.Enter, "06": kb.F12} {
		c.keys(first, "20", kb.Enter)
		c.tab.Fill("#received", "50")
		c.keys(sells)
		c.sold()
		assert.Contains(t, c.tab.Text(".collect"), "30,00")
		assert.Equal(t, "number", c.focus())
		assert.Empty(t, c.value("received"))
		c.keys("1"+first[1:], "20", kb.Enter)
		assert.Empty(t, c.value("received"), "no number becomes money")
		require.Equal(t, 1, c.count("#lines .row"))
		c.keys(kb.F12)
		assert.Equal(t, map[string]string{"1" + first[1:]: "20.00"}, c.stakes(c.sold()))
		assert.Equal(t, 1, c.count(".collect div"), "without an amount received there is no change")
	}
}

// lineScript lets a test break the line of a page: window.broken is "all", "sales" (they do not leave), "answers" (of sales, which arrive) or "cancel" (it
// is refused). posted counts sales that leave the page, handed has the keys of handovers, none of which arrives.
const lineScript = `{
	const plain = fetch, lost = () => Promise.reject(new TypeError("cut"))
	Object.assign(window, {broken: "", posted: 0, handed: []})
	window.fetch = async (address, options = {}) => {
		const path = String(address), sale = options.method === "POST" && path.endsWith("/sales/tickets")
		if (path.endsWith("/handovers") && options.method === "POST") { handed.push(options.headers["Idempotency-Key"]); return lost() }
		if (broken === "all" || broken === "sales" && sale) return lost()
		if (broken === "cancel" && path.endsWith("/cancel")) return new Response(JSON.stringify({code: "CANCEL_TOO_LATE", detail: "ya pasó el tiempo"}), {status: 409})
		if (sale) posted++
		const answer = await plain(address, options)
		return broken === "answers" && sale ? lost() : answer
	}
}`

// breaks cuts the line of the page, or mends it with "".
func (c *counter) breaks(what string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `(window.broken = "`+what+`", true)`)
}

// lineIs waits until the page says so of its line, which it tries at once.
func (c *counter) lineIs(kind string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `dispatchEvent(new Event("online"))`)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#line").dataset.kind === "`+kind+`"`)
}

// Without a line F12 sends nothing, says so, and sells nothing by itself later.
func counterWithoutALine(c *counter) {
	t := c.t
	c.tab.Before(lineScript)
	c.open()
	c.keys("05", "20", kb.Enter)
	c.breaks("all")
	c.lineIs("offline")
	c.keys(kb.F12, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").innerText.includes("Sin línea: no se envió nada")`)
	c.shot("offline")
	c.breaks("")
	c.lineIs("online")
	assert.Zero(t, c.count("#pending *"))
	assert.Zero(t, browser.Value[int](c.tab, `posted`), "nothing waits to be sold")
	require.Equal(t, 1, c.count("#lines .row"))
	c.breaks("all")
	c.lineIs("offline")
	c.breaks("")
	c.keys(kb.F12) // the page finds the line again
	assert.Equal(t, map[string]string{"5": "20.00"}, c.stakes(c.sold()))
	assert.Equal(t, 1, browser.Value[int](c.tab, `posted`))
}

// A sale whose outcome is unknown is given up by F10: it is cancelled if it was sold. Where that is too late it stays in sight.
func counterGivesUp(c *counter) {
	t := c.t
	c.tab.Before(lineScript)
	c.open()
	giveUp := func(number string) {
		c.breaks("answers")
		c.keys(number, "4", kb.Enter, kb.F12)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector('#pending [data-do="giveup"]') !== null`)
		c.shot("unknown")
		c.keys(kb.F10)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-title").innerText.includes("4,00")`)
		c.keys(kb.Delete)
		c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open && document.querySelector("#pending").innerText.includes("se anula en cuanto se sepa")`)
		assert.Zero(t, c.count("#lines .row"), "the next customer is served")
	}
	giveUp("12")
	c.tab.Visit("http://" + c.at + "/vender") // what was decided outlives the page
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").innerText.includes("ANULADO")`)
	require.Len(t, c.entries(), 1)
	assert.Equal(t, "cancelled", c.ticket(c.entries()[0].Serial)["status"])

	giveUp("13")
	c.breaks("cancel")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#pending .bad")?.innerText.includes("ya no se puede anular")`)
	c.tab.Visit("http://" + c.at + "/vender")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#pending .bad")?.innerText.includes("ya pasó el tiempo")`)
	c.online() // the page moves the line while it reads what it shows
	c.shot("kept")
	c.tab.Click(`#pending [data-do="seen"]`)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#pending *").length === 0`)
}

// storeOpen stores a sale whose outcome is open, as an earlier page has left it.
func (c *counter) storeOpen(key, entity string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `new Promise(done => {
		const request = indexedDB.open("pos", 1)
		request.onsuccess = () => {
			const put = request.result.transaction("open", "readwrite").objectStore("open").put({
				key: "`+key+`", entity: "`+entity+`", body: {currency: "VES", items: [{amount: "3.00"}]}, total: 300, draft: {key: "`+key+`", lines: []},
				state: "unknown", tries: 9, since: Date.now() - 660000, parked: true, sent: true, unsure: true})
			put.onsuccess = () => { request.result.close(); done(true) }
		}
	})`)
}

// A sale of another entity keeps nobody from closing the day. It, and one that never ends, can be set aside.
func counterSetsAside(c *counter) {
	t := c.t
	c.tab.Before(lineScript)
	c.open()
	c.storeOpen("11111111-1111-4111-8111-111111111111", uuid.NewString())
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#pending").innerText.includes("otra taquilla")`)
	c.keys(kb.F11)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open`)
	c.keys(kb.Escape)

	const mine = "22222222-2222-4222-8222-222222222222"
	c.tab.Before(`window.broken = "sales"`)
	c.storeOpen(mine, browser.Value[string](c.tab, `import("/admin/static/pos-api.js").then(api => api.who().entity_id)`))
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll('#pending [data-do="aside"]').length === 2`)
	c.shot("aside")
	for left := 1; left >= 0; left-- {
		c.tab.UntilWithin(testkit.WaitTimeout, `(document.querySelector("#panel").open || document.querySelector('#pending [data-do="aside"]').click(), /22222222|11111111/.test(document.querySelector("#panel-body").innerText))`)
		c.keys(kb.Delete)
		c.tab.UntilWithin(testkit.WaitTimeout, fmt.Sprintf(`!document.querySelector("#panel").open && document.querySelectorAll("#pending > *").length === %d`, left))
	}
	for _, entry := range c.entries() {
		assert.Equal(t, "aside", entry.State, entry.Key)
	}
	assert.Len(t, c.entries(), 2)
}

// An amount of another currency than the desk's has its symbol, is not repeated here, and is in no sum.
func counterShowsOtherCurrencies(c *counter) {
	t := c.t
	sold := c.sellsDollars()
	serial, _ := sold.data()["serial_code"].(string)
	c.scan(serial+kb.Enter, serial)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .facts") !== null`)
	assert.Contains(t, c.tab.Text("#panel .facts"), "2,50 $")
	assert.Contains(t, c.tab.Text("#panel .line"), "2,50 $")
	c.tab.Click("#panel .grave")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-body").innerText.includes("2,50 $")`)
	c.keys(kb.Escape)
	id, _ := sold.data()["id"].(string)
	c.storeSold(id)
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#last").innerText.includes("2,50 $")`)
	c.keys(kb.F9)
	assert.Contains(t, c.tab.Text("#said"), "en $:")
	assert.Zero(t, c.count("#lines .row"))
}

// sellsDollars opens the page, and sells a ticket in USD without it, which opens the wallet.
func (c *counter) sellsDollars() answer {
	c.open()
	draw := browser.Value[string](c.tab, `document.querySelector('#draws [aria-pressed="true"]').dataset.draw`)
	sold := c.post("/sales/tickets", c.login(cashier), map[string]any{
		"currency": "USD", "items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": "5", "amount": "2.50"}},
	}, uuid.NewString())
	require.Equal(c.t, http.StatusCreated, sold.status, string(sold.raw))
	return sold
}

// storeSold writes into the journal that this browser has sold a ticket.
func (c *counter) storeSold(id string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `new Promise(done => {
		const request = indexedDB.open("pos", 1)
		request.onsuccess = () => request.result.transaction("journal", "readwrite").objectStore("journal").put({key: "`+id+`", id: "`+id+`", state: "sold", at: 1}).onsuccess = () => { request.result.close(); done(true) }
	})`)
}

// A second click on the handover, after an answer was lost, is the same request.
func counterHandsOverOnce(c *counter) {
	t := c.t
	c.tab.Before(lineScript)
	c.open()
	c.keys(kb.F11)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=opening], #panel .sums") !== null`)
	if c.count("[name=opening]") > 0 {
		c.keys("100", kb.Enter)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector(".sums") !== null`)
	}
	for clicks := 1; clicks <= 2; clicks++ {
		c.tab.Click("#panel-row button[type=button]")
		c.tab.UntilWithin(testkit.WaitTimeout, fmt.Sprintf(`handed.length === %d && document.querySelector("#panel-said").innerText !== ""`, clicks))
	}
	keys := browser.Value[[]string](c.tab, `handed`)
	assert.Equal(t, keys[0], keys[1])
}

// A user who is not of a ticket point is told so, and can log in as one there.
func counterOfTheOperator(c *counter) {
	t := c.t
	c.tab.Allow("403 GET http://" + c.at + "/sales/catalogue")
	c.tab.Allow("401 ")
	c.tab.Till()
	c.tab.Visit("http://" + c.at + "/admin/login?lang=es&next=/vender")
	c.tab.Fill("#identifier", panelUser)
	c.tab.Fill("#password", seed.Password)
	c.tab.Follow("main form button")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-title").innerText === "Solo una taquilla vende"`)
	c.audit()
	c.keys(kb.Escape, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open`)
	c.tab.Click("#panel-row button[type=button]")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=password]") !== null`)
	c.enterOver(cashier, seed.Password)
	c.online()
	c.keys("05", "3", kb.Enter, kb.F12)
	assert.Equal(t, map[string]string{"5": "3.00"}, c.stakes(c.sold()))
}

// The counter sells in another currency of which the ticket point has a wallet. A ticket keeps its currency: it is not sold in the other
// one, not after a reload either. F2 drops a ticket, which Ctrl Z brings back.
func counterSellsInAnotherCurrency(c *counter) {
	t := c.t
	c.sellsDollars()
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.keys("05", "20", kb.Enter, "$")
	assert.Contains(t, c.tab.Text("#said"), "en Bs:", "a ticket stays in its currency")
	c.keys(kb.F2)
	assert.Contains(t, c.tab.Text("#said"), "Ctrl Z")
	c.changesCurrency("$")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#quota").textContent !== "–"`)
	c.shot("currency")
	c.keys("05", "2", kb.Enter)
	c.tab.Visit("about:blank")
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row").length === 1 && document.querySelector("#currency").textContent === "$"`)
	c.keys(kb.F12)
	sold := c.ticket(c.sold())
	assert.Equal(t, "2.00", sold["total"])
	assert.Equal(t, "USD", sold["currency"])

	c.keys("06", "3", kb.Enter, kb.F2)
	c.changesCurrency("Bs")
	assert.Zero(t, c.count("#lines .row"))
	browser.Value[bool](c.tab, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "z", ctrlKey: true, bubbles: true}))`)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row").length === 1 && document.querySelector("#currency").textContent === "$"`)
	c.keys(kb.F12)
	assert.Equal(t, "USD", c.ticket(c.sold())["currency"], "the dropped ticket is of its currency")
	c.changesCurrency("Bs")
}

// changesCurrency goes on to the next currency until it is the one of a symbol.
func (c *counter) changesCurrency(symbol string) {
	c.t.Helper()
	shown := func() string { return c.tab.Text("#currency") }
	for before := shown(); before != symbol; before = shown() {
		c.keys("$")
		c.tab.UntilWithin(testkit.WaitTimeout, fmt.Sprintf(`document.querySelector("#currency").textContent !== %q`, before))
	}
}
