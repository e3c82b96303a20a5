package test

import (
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
)

// gateScript keeps questions for the session back while gate.shut is set, until gate.open() or gate.cut() is called; it refuses them while gate.broken is.
const gateScript = `{
	const plain = fetch, held = [], lost = new TypeError("cut")
	const leave = pass => () => { gate.shut = false; for (const one of held.splice(0)) one(pass) }
	window.gate = {shut: false, broken: false, waits: 0, open: leave(true), cut: leave(false)}
	window.fetch = (address, options) => {
		if (address !== "/vender/session" || !gate.shut && !gate.broken) return plain(address, options)
		gate.waits++
		return gate.broken ? Promise.reject(lost) : new Promise((done, failed) => held.push(pass => pass ? done(plain(address, options)) : failed(lost)))
	}
}`

// window opens the counter in another window of the same browser.
func (c *counter) window() *counter {
	c.t.Helper()
	second := &counter{panel: &panel{platform: c.platform, tab: c.tab.Another()}, at: c.at}
	second.tab.Allow("POST http://" + c.at + "/sales/tickets")
	second.tab.Before(gateScript)
	second.tab.Till()
	second.tab.Visit("http://" + c.at + "/vender")
	second.online()
	return second
}

// forgetsToken has the page ask for a token before its next request, which the gate keeps back ("shut") or refuses ("broken").
func (c *counter) forgetsToken(gate string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `import("/admin/static/pos-api.js").then(api => { window.gate.`+gate+` = true; api.leave(); return true })`)
}

// gate lets the question for the session go on, or cuts it.
func (c *counter) gate(how string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `gate.waits > 0`)
	browser.Value[bool](c.tab, `(gate.`+how+`(), true)`)
}

// heldSale types a ticket whose sale is stored, and waits in one window for the session before it is sent, while another window has found it.
func heldSale(c *counter) (cuts *cuttingProxy, second *counter) {
	c.t.Helper()
	cuts = newCuttingProxy(c.t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.tab.Before(gateScript)
	c.open()
	c.keys("07", "3", kb.Enter)
	c.forgetsToken("shut")
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `gate.waits > 0`)
	second = c.window()
	second.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#pending .wait") !== null`)
	return cuts, second
}

// A sale that one window has given back unsent is sold by no other one that had found it.
func counterGivesBackInTwoWindows(c *counter) {
	t := c.t
	cuts, second := heldSale(c)
	c.gate("cut")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").innerText.includes("No se envió nada")`)
	second.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#pending *").length === 0`)
	assert.Zero(t, cuts.keys(), "nothing is sold that was declared unsent")
	assert.Empty(t, second.journal())
	c.keys("08", "2", kb.Enter, kb.F12)
	assert.Equal(t, map[string]string{"7": "3.00", "8": "2.00"}, c.stakes(c.sold()))
}

// A window that had found a sale before it was sent knows that it was sent, and forgets nothing when the other one ends.
func counterRemembersInTwoWindows(c *counter) {
	t := c.t
	cuts, second := heldSale(c)
	looks := func() {
		browser.Value[bool](second.tab, `(window.looks = 0, new MutationObserver(() => looks++).observe(document.querySelector("#pending"), {childList: true}), true)`)
		second.tab.UntilWithin(testkit.WaitTimeout, `looks > 0`)
	}
	cuts.hold(true)
	c.gate("open")
	require.Eventually(t, cuts.done, testkit.WaitTimeout, 10*time.Millisecond, "the sale has arrived")
	looks() // for the outcome
	second.forgetsToken("broken")
	c.tab.Visit("about:blank")
	looks() // the sale is its own now
	assert.Contains(t, second.tab.Text("#pending"), "no sabemos")
	assert.NotContains(t, second.tab.Text("#outcome"), "No se envió nada")
	browser.Value[bool](second.tab, `(gate.broken = false, true)`)
	cuts.release()
	serial := second.sold()
	assert.Equal(t, map[string]string{"7": "3.00"}, second.stakes(serial))
	assert.Equal(t, 1, cuts.keys())
}

// A window that is sending a sale cancels it if another window gives it up before the answer is there.
func counterGivesUpInTwoWindows(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	again := make(chan struct{})
	cuts.set(func(w http.ResponseWriter, _ []byte) {
		cuts.set(func(w http.ResponseWriter, raw []byte) {
			answer := cuts.ask(raw)
			close(again)
			<-cuts.free
			drop(t, w, answer)
		})
		drop(t, w, nil)
	})
	c.keys("07", "3", kb.Enter, kb.F12)
	select {
	case <-again:
	case <-time.After(testkit.WaitTimeout):
		require.Fail(t, "the sale is not repeated")
	}
	second := c.window()
	second.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector('#pending [data-do="giveup"]') !== null`)
	second.tab.Click(`#pending [data-do="giveup"]`)
	second.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open`)
	second.keys(kb.Delete)
	second.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open && document.querySelector("#pending").innerText.includes("se anula en cuanto se sepa")`)
	cuts.release()
	for _, window := range []*counter{c, second} {
		window.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").innerText.includes("ANULADO") && document.querySelectorAll("#pending *").length === 0`)
	}
	require.Len(t, c.entries(), 1)
	assert.Equal(t, "cancelled", c.ticket(c.entries()[0].Serial)["status"])
}

// Two windows of one browser on the same sale, and a drawer that is handed over twice: on a platform whose ticket point no other test closes.
func TestPointOfSaleTwice(t *testing.T) {
	t.Parallel()
	target.Only(t, target.Long)
	browser.Need(t)
	p := newPlatform(t)
	p.env = []string{"RATE_LIMIT_PANEL_REQUESTS=100000"}
	p.start()
	t.Cleanup(func() { require.NoError(t, p.interrupt()) })
	for name, test := range map[string]func(*counter){
		"gives back": counterGivesBackInTwoWindows, "remembers": counterRemembersInTwoWindows, "gives up": counterGivesUpInTwoWindows, "handover": counterHandsOverOnce,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &counter{panel: &panel{platform: p.in(t), tab: browser.Open(t)}, at: p.addr}
			test(c)
			c.tab.Visit("about:blank")
		})
	}
}
