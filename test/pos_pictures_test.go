package test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// TestPicturesOfTheCounter writes a picture of each state of /vender in both languages and colour schemes, on a till and on a phone, to var/pictures.
func TestPicturesOfTheCounter(t *testing.T) {
	wanted := browser.NeedPictures(t)
	if !wanted.Wants("/vender") {
		t.Skip("no picture of the counter is asked for")
	}
	for _, language := range wanted.Languages {
		p := newPlatform(t)
		p.env = []string{"RATE_LIMIT_PANEL_REQUESTS=100000"}
		p.start()
		c := &pictured{counter: &counter{panel: &panel{platform: p, tab: browser.Open(t)}, at: p.addr}, wanted: wanted, language: language}
		c.walk()
		c.tab.Visit("about:blank")
		require.NoError(t, p.interrupt())
	}
}

// pictured is a counter of which pictures are taken.
type pictured struct {
	*counter

	wanted   *browser.Pictures
	language string
}

// take writes the pictures of the state that the page shows.
func (c *pictured) take(state string) {
	c.t.Helper()
	c.wanted.EachLook(c.tab, (*browser.Tab).Till, func(look string) { c.wanted.Save(c.tab, "vender-"+state, c.language, look) })
	c.tab.Till()
}

// dialog takes the pictures of what a key opens, and closes it.
func (c *pictured) dialog(state, key string) {
	c.t.Helper()
	c.keys(key)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open`)
	c.take(state)
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
}

// cut breaks the connection of sales to come, or mends it.
func (c *pictured) cut(broken bool) {
	c.t.Helper()
	browser.Value[bool](c.tab, fmt.Sprintf(`(window.broken = %t, true)`, broken))
}

const salesCanBreak = `{
	const plain = fetch
	window.fetch = (address, options) => window.broken && options?.method === "POST" && String(address).endsWith("/sales/tickets") ? Promise.reject(new TypeError("cut")) : plain(address, options)
}`

// walk goes through the states of the counter.
func (c *pictured) walk() {
	c.tab.Allow("433 ")
	c.tab.Allow("401 ")
	c.tab.Before(salesCanBreak)
	c.tab.Visit("http://" + c.at + "/admin/login?lang=" + c.language + "&next=/vender")
	c.take("login")
	c.tab.Fill("#identifier", cashier)
	c.tab.Fill("#password", seed.Password)
	c.tab.Follow("main form button")
	c.online()
	c.take("first")
	serial := c.composes()
	c.panels()
	c.loses()
	c.take("empty")
	for _, page := range []string{"form", "help"} {
		c.tab.Visit("http://" + c.at + "/vender/" + page)
		c.take(page)
	}
	c.tab.Allow("404 ")
	c.tab.Language(c.language)
	for state, code := range map[string]string{"sold": serial, "unknown": strings.Repeat("Z", len(serial))} {
		c.tab.Visit("http://" + c.at + "/t/" + code)
		c.wanted.EachLook(c.tab, (*browser.Tab).Till, func(look string) { c.wanted.Save(c.tab, "ticket-"+state, c.language, look) })
	}
}

// composes types, sells and is refused, and returns the serial code of what was sold.
func (c *pictured) composes() string {
	c.keys("+", "05,18")
	c.take("typing")
	c.keys("20", kb.Enter, "07", "15", kb.Enter)
	c.take("composed")
	c.keys("99")
	c.take("wrong")
	c.keys(kb.Escape, kb.Escape, kb.F12)
	serial := c.sold()
	c.take("sold")
	token := c.login(cashier)
	id, _ := c.get("/sales/tickets?page_size=1", token).list()[0]["id"].(string)
	c.wanted.Write(c.t, "receipt", c.language, c.get("/sales/tickets/"+id+"/receipt?format=png-rgb", token).raw)
	c.tab.Click("#guide button")
	c.limit("31", "4.00")
	c.keys("31,08", "20", kb.Enter, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row.no").length > 0`)
	c.take("refused")
	c.keys(kb.F2)
	c.tab.Click(`[data-mode="triples"]`)
	c.keys("123p", "1", kb.Enter)
	c.take("triples")
	c.keys(kb.F2)
	c.tab.Click(`[data-mode="animals"]`)
	return serial
}

// panels opens each dialog.
func (c *pictured) panels() {
	for state, key := range map[string]string{"keys": kb.F1, "draws": kb.F3, "following": kb.F5, "customer": kb.F6, "consult": kb.F7, "pay": kb.F8, "cancel": kb.F10} {
		c.dialog(state, key)
	}
	c.tab.Click("#last a")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel .facts") !== null`)
	c.take("ticket")
	c.keys(kb.Escape)
	for _, panel := range []string{"results", "requests"} {
		c.tab.Click(`[data-do="` + panel + `"]`)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open`)
		c.take(panel)
		c.keys(kb.Escape)
	}
	c.keys(kb.F11)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=opening], #panel .sums") !== null`)
	if c.count("[name=opening]") > 0 {
		c.take("opening")
		c.keys("100", kb.Enter)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector(".sums") !== null`)
	}
	c.keys("3", kb.Enter, "5")
	c.take("close")
	c.tab.Click("#panel-row button[type=button]")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .counts") === null && document.querySelector("#panel .facts") !== null`)
	c.take("handed-over")
	c.keys(kb.Escape)
}

// loses the connection and the session.
func (c *pictured) loses() {
	c.cut(true)
	c.keys("09", "2", kb.Enter, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#pending .wait") !== null`)
	c.take("unknown")
	c.keys(kb.F2, "10", "4", kb.Enter)
	c.take("parked")
	c.cut(false)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#pending *").length === 0`)
	c.take("sold-late")
	c.endSession()
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=password]") !== null`)
	c.take("ended")
	c.enterOver(cashier, seed.Password)
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open || document.querySelector("#panel .facts") !== null`)
	c.keys(kb.Escape, kb.F2)
}
