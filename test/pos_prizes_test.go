package test

import (
	"net/http"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// secondPrize answers for a ticket that won 600.00, of which no other test knows.
const secondPrize = `{
	const plain = fetch, serial = "ZZ2345ZZ6789", json = data => new Response(JSON.stringify({data}))
	const ticket = {id: "second", serial_code: serial, currency: "VES", status: "won", total: "40.00", prize: "600.00", sold_by: "María", created_at: "2026-01-02T12:00:00Z",
		expires_at: "2099-01-05T12:00:00Z", cancel_before: "2026-01-02T12:05:00Z", items: [{game: {name: "Lotto Activo"}, draws: [
			{draw_time: "2026-01-02T13:00:00Z", result: "5 León", lines: [{selection: "5", name: "León", bet_type: "straight", amount: "20.00", prize: "600.00"},
				{selection: "18", name: "Burro", bet_type: "straight", amount: "20.00"}]}]}]}
	window.fetch = async (address, options) => {
		const path = String(address)
		if (path.includes("serial_code=" + serial)) return json([ticket])
		if (path.endsWith("/sales/tickets/second")) return json(ticket)
		if (path.endsWith("/prizes/second")) return json({prize: "600.00", currency: "VES", expires_at: ticket.expires_at})
		if (path.includes("/prizes/second/receipt")) return new Response(new Uint8Array([27, 64, 10]))
		if (path.includes("/daily-closes?status=open")) return json([{id: "today", expected_cash: "6341.00"}])
		if (path.endsWith("/daily-closes/today/handovers")) return json([])
		if (path.endsWith("/prizes/second/pay")) return json({amount: "600.00"})
		return plain(address, options)
	}
}`

const elsewherePassword = "plaza sucre 7 y 8"

// elsewhere creates a cashier of the ticket point that has sold the example ticket, whose settings no other subtest needs, and returns its name.
func (c *counter) elsewhere(email string) string {
	c.t.Helper()
	made := c.post("/users", c.confirmed(panelUser), map[string]any{
		"entity_id": seed.ID("entity", seed.CodeTicketPoint2), "name": "Rosa", "email": email, "role": "TAQUILLA", "auth_method": "password", "password": elsewherePassword,
	}, "")
	require.Equal(c.t, http.StatusCreated, made.status, string(made.raw))
	return email
}

// scans types a serial code as a scanner does, whose keys are no keys of the cashier.
func (c *counter) scans(serial string) {
	c.t.Helper()
	c.tab.Press(serial + kb.Enter)
}

// titled waits until the dialog has a title.
func (c *counter) titled(title string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-title").innerText === "`+title+`"`)
}

// says waits until the dialog has a text.
func (c *counter) says(text string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").innerText.includes(`+quote(text)+`)`)
}

// A scanned receipt that won shows its prize in large figures, its results and the lines that won. Prizes are paid one after the other, in nine keys each
// at most, with their sum; a wrong code says how many attempts are left.
func counterPaysAQueue(c *counter) {
	t := c.t
	c.printsOn(serialPrinter)
	c.tab.Before(secondPrize)
	c.tab.Allow("403 POST http://" + c.at + "/prizes/")
	c.openAs(c.elsewhere("cobra@banca.test"), elsewherePassword)
	c.scans(seed.ExampleSerial)
	c.titled(seed.ExampleSerial)
	assert.Equal(t, "300,00", c.tab.Text("#panel .large"))
	assert.InDelta(t, 40, browser.Value[float64](c.tab, `parseFloat(getComputedStyle(document.querySelector("#panel .large")).fontSize)`), 0.1)
	assert.Contains(t, c.tab.Text("#panel .drawn"), "5 León")
	assert.Contains(t, c.tab.Text("#panel .line.won"), "gana 300,00")
	assert.Contains(t, c.tab.Text("#panel .facts"), "Se cobra hasta")
	c.shot("prize-looked-up")
	c.audit()
	c.tab.Narrow()
	c.tab.Scheme("dark")
	c.shot("prize-looked-up-360-dark")
	c.audit()
	c.tab.Scheme("light")
	c.tab.Till()

	wrong := c.keys(kb.Enter)
	c.titled("Pagar " + seed.ExampleSerial)
	c.keys("000000", kb.Enter)
	c.says("Intentos que quedan: 4.")
	c.shot("prize-wrong-code")
	browser.Value[bool](c.tab, `new MutationObserver(() => {
		if (document.querySelector("#panel .large.ok") && !window.quick) window.quick = document.querySelector("#panel").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true})) ? "heard" : "held"
	}).observe(document.querySelector("#panel-body"), {childList: true}) || true`)
	right := c.keys(seed.ExampleCode, kb.Enter)
	c.says("PAGADO 300,00")
	c.tab.UntilWithin(testkit.WaitTimeout, `window.quick === "held"`) // a press that comes with it
	assert.LessOrEqual(t, wrong+right, 9, "keys for a prize that is scanned")
	assert.Contains(t, c.tab.Text("#panel .queue"), "1 premio pagado, 300,00")
	c.shot("prize-paid")

	keys := c.keys(kb.Enter)
	c.titled("Pagar")
	c.scans("ZZ2345ZZ6789")
	c.titled("Pagar ZZ2345ZZ6789")
	c.shot("prize-code")
	keys += c.keys("123456", kb.Enter)
	c.says("2 premios pagados, 900,00")
	assert.LessOrEqual(t, keys, 9, "keys for the next prize")
	assert.Equal(t, "PAGADO 600,00", c.tab.Text("#panel .large"))
	c.keys(kb.Enter)
	c.titled("Pagar")
	c.says("2 premios pagados, 900,00")
	c.scans(seed.ExampleSerial)
	c.titled(seed.ExampleSerial)
	assert.Contains(t, c.tab.Text("#panel .facts"), "pagado", "no code is asked for where nothing is due")
	c.keys(kb.Escape)
	c.saysWhatStaysInTheDrawer()
}

// saysWhatStaysInTheDrawer pays by F8, in an open day.
func (c *counter) saysWhatStaysInTheDrawer() {
	c.t.Helper()
	keys := c.keys(kb.F8)
	c.titled("Pagar")
	require.Zero(c.t, c.count("#panel .queue"), "a new queue")
	c.scans("ZZ2345ZZ6789")
	c.titled("Pagar ZZ2345ZZ6789")
	keys += c.keys("123456", kb.Enter)
	c.says("en caja")
	assert.LessOrEqual(c.t, keys, 9)
	assert.Contains(c.t, c.tab.Text("#panel-body"), "Quedan 6.341,00 en caja")
	c.shot("prize-drawer")
	c.tab.Narrow()
	c.shot("prize-drawer-360")
	c.audit()
	c.tab.Till()
	c.keys(kb.Escape)
}
