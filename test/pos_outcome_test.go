package test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// A connection that is cut anywhere in the request or in the answer loses, doubles and hides no sale.
func counterIsCut(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	const points = 20
	var serials []string
	for i := range points {
		cuts.arm(i < points/2, i%(points/2))
		c.keys(fmt.Sprintf("%02d", i+1), "1", kb.Enter, kb.F12)
		serials = append(serials, c.sold())
		assert.True(t, cuts.done(), "cut %d", i)
		c.keys(kb.F2)
	}
	journal := c.journal()
	assert.Len(t, journal, points, "each sale has one key")
	seen := map[string]bool{}
	for _, serial := range serials {
		assert.False(t, seen[serial], "%s is one sale", serial)
		seen[serial] = true
		assert.Equal(t, "1.00", c.ticket(serial)["total"])
	}
	for key, state := range journal {
		assert.True(t, seen[strings.TrimPrefix(state, "sold ")], "%s %s", key, state)
	}
	assert.Equal(t, points, cuts.keys(), "no sale was sent under a second key")
}

// A browser that ends while it is sending finds the sale when it is opened again.
func counterCrashes(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	cuts.hold(true)
	c.keys("07", "3", kb.Enter, kb.F12)
	require.Eventually(t, cuts.done, testkit.WaitTimeout, 10*time.Millisecond, "the answer is on its way")
	c.tab.Visit("about:blank")
	cuts.release()
	c.tab.Visit("http://" + c.at + "/vender")
	serial := c.sold()
	assert.Contains(t, c.tab.Text("#outcome strong"), "pendiente")
	assert.Equal(t, "3.00", c.ticket(serial)["total"])
	assert.Equal(t, 1, cuts.keys())
	assert.Zero(t, c.count("#lines .row"), "it is not in the draft, too")
}

// Two windows of one browser have a draft each; the second one takes over what the first one leaves behind.
func counterTwice(c *counter) {
	t := c.t
	c.open()
	c.keys("09", "2", kb.Enter)
	second := &counter{panel: &panel{platform: c.platform, tab: c.tab.Another()}, at: c.at}
	second.tab.Till()
	second.tab.Visit("http://" + c.at + "/vender")
	second.online()
	assert.Zero(t, second.count("#lines .row"), "the draft belongs to the first window")
	second.keys("10", "4", kb.Enter, kb.F12)
	assert.Equal(t, "4.00", c.ticket(second.sold())["total"])
	c.tab.Visit("about:blank")
	second.tab.Visit("http://" + c.at + "/vender")
	second.online()
	second.tab.Until(`document.querySelectorAll("#lines .row").length === 1`)
	second.keys(kb.F12)
	assert.Equal(t, "2.00", c.ticket(second.sold())["total"])
}

// A session that ends before the sale is sent keeps the ticket, which is sold after the login: one that was put off, was refused, and then could not be
// read because of the line.
func counterLogsInAgain(c *counter) {
	t := c.t
	c.tab.Before(`{
		const plain = fetch
		window.fetch = (address, options) => window.broken && address === "/vender/session" ? Promise.reject(new TypeError("cut")) : plain(address, options)
	}`)
	c.open()
	c.keys("11", "6", kb.Enter)
	c.tab.Allow("401 GET") // of the session; how many depends on the rounds of the page
	c.endSession()
	for range 2 { // also after the dialog was closed
		c.keys(kb.Escape, kb.F12)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=password]") !== null && document.querySelector("#line").classList.contains("bad")`)
	}
	c.tab.Expect("401 POST")
	c.tab.Until(`document.activeElement.name === "password"`)
	require.Equal(t, "demo-2", browser.Value[string](c.tab, `document.querySelector("#panel [name=identifier]").value`), "the identifier of the cashier")
	c.enterOver(cashier, "no es esta")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-body p").innerText.includes("contraseña")`)
	browser.Value[bool](c.tab, `window.broken = true`)
	c.enterOver(cashier, seed.Password)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").innerText !== "" && !document.querySelector("#panel [type=submit]").disabled`)
	assert.True(t, browser.Value[bool](c.tab, `document.querySelector("#panel").open`), "the login is offered until the counter has its session")
	browser.Value[bool](c.tab, `(window.broken = false, true)`)
	c.tab.Click("#panel [type=submit]")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	c.online()
	assert.Equal(t, 1, c.count("#lines .row"), "nothing was sent")
	c.keys(kb.F12)
	assert.Equal(t, "6.00", c.ticket(c.sold())["total"])
}

// The day is closed with the cash that was counted, and not while the outcome of a sale is open. A reprint is a copy, and logged.
func counterCloses(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	cuts.hold(true)
	c.keys("20", "9", kb.Enter, kb.F12)
	require.Eventually(t, cuts.done, testkit.WaitTimeout, 10*time.Millisecond)
	c.keys(kb.F2, kb.F11)
	c.tab.Until(`document.querySelector("#outcome").innerText.includes("Hay un ticket pendiente")`)
	assert.False(t, browser.Value[bool](c.tab, `document.querySelector("#panel").open`))
	cuts.release()
	serial := c.sold()
	browser.Value[bool](c.tab, `document.querySelector('[data-do="reprint"]').click() ?? true`) // the list is drawn anew meanwhile
	c.requireReprintLogged(serial)
	c.keys(kb.F11)
	c.tab.Until(`document.querySelector("#panel").open`)
	if c.count("[name=opening]") > 0 { // the platform opens a day of sales within a minute
		c.keys("100", kb.Enter)
	}
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector(".sums") !== null`)
	c.keys("2")
	c.handsOver()
	c.keys(kb.F11)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector(".sums") !== null`)
	c.keys("3", kb.Enter)
	assert.True(t, browser.Value[bool](c.tab, `document.querySelector("#panel").open`), "Enter goes to the next field")
	for range 60 { // to the button, over the drawers of all currencies
		c.keys(kb.Enter)
		assert.False(t, browser.Value[bool](c.tab, `document.querySelector("#panel [type=submit]").disabled`), "Enter in a field closes nothing")
		if browser.Value[bool](c.tab, `document.activeElement.type === "submit"`) {
			break
		}
	}
	require.True(t, browser.Value[bool](c.tab, `document.activeElement.type === "submit"`))
	assert.Contains(t, c.tab.Text(".sums"), "Contado 1.500,00")
	c.keys(kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").innerText.includes("Cuente otra vez")`)
	assert.Contains(t, c.tab.Text("#panel-said"), "sobran ")
	assert.Zero(t, c.count("#panel .large"), "a large difference is asked about before the day is closed")
	c.tab.Click("#panel [type=submit]")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .large") !== null`)
	assert.Contains(t, c.tab.Text("#panel .large"), "SOBRAN ")
	assert.Zero(t, c.count("#panel [data-close]"), "one button closes what only tells")
	c.shot("closed")
	c.audit()
	c.keys(kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	closed := c.get("/sales/daily-closes?status=closed", c.login(cashier)).list()
	own := slices.IndexFunc(closed, func(day map[string]any) bool { return day["currency"] == "VES" }) // beside those of the other currencies
	require.GreaterOrEqual(t, own, 0)
	assert.Equal(t, "1500.00", closed[own]["counted_cash"])
	assert.InDelta(t, 1500-decimalOf(t, closed[own]["expected_cash"]), decimalOf(t, closed[own]["variance"]), 0.001)
	assert.NotEqual(t, "0.00", closed[own]["variance"])
}

// decimalOf reads an amount of the API.
func decimalOf(t *testing.T, amount any) float64 {
	t.Helper()
	text, _ := amount.(string)
	value, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return value
}
