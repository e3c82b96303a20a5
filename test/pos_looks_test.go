package test

import (
	"fmt"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// closesScript answers for the daily closes: window.days are the open days, and a close has a difference.
const closesScript = `{
	const plain = fetch, json = data => new Response(JSON.stringify({data}))
	const day = {id: "ves", currency: "VES", day: "2026-01-02", sales: "123456.50", voids: "10.00", refunds: "20.00", prizes: "3000.00", opening_cash: "100.00", deposits: "50.00", withdrawals: "5.00", not_cash: "75.00",
		expected_cash: "120406.50", blind: false, denominations: ["500.00", "200.00", "100.00", "50.00", "20.00", "10.00", "5.00"], means: [{means: "card", currency: "VES", expected: "75.00"}]}
	const dollars = {...day, id: "usd", currency: "USD", denominations: ["100.00", "20.00", "1.00"], means: []}
	const blind = day => ({...day, blind: true, expected_cash: null, sales: "0.00", prizes: "0.00"})
	window.days = {open: [day, dollars], blind: [day, dollars].map(blind), none: []}
	window.fetch = (address, options = {}) => {
		const path = String(address)
		if (path.includes("/daily-closes?")) return Promise.resolve(json(days[document.documentElement.days || "open"]))
		if (path.endsWith("/handovers")) return Promise.resolve(json([]))
		if (path.endsWith("/close") && options.method === "POST") return Promise.resolve(json({...(path.includes("/usd/") ? dollars : day), counted_cash: "100000.00", variance: "-20406.50", means: [{means: "card", currency: "VES", variance: "-75.00"}]}))
		return plain(address, options)
	}
}`

// inLanguage loads the page in a language; the browser may have kept it in another one.
func (c *counter) inLanguage(code string) {
	c.t.Helper()
	c.tab.Visit("http://" + c.at + "/admin/login?lang=" + code)
	for range 5 {
		c.tab.Visit("http://" + c.at + "/vender")
		c.online()
		if browser.Value[string](c.tab, `document.documentElement.lang`) == code {
			return
		}
	}
	assert.Fail(c.t, "the page is in another language than "+code)
}

// everyLook audits and pictures the page in both schemes, on a till and on a small phone: there it fits, and what a thumb presses is high enough.
func (c *counter) everyLook(name string) {
	c.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		c.tab.Scheme(scheme)
		for _, screen := range []func(*browser.Tab){(*browser.Tab).Till, (*browser.Tab).Narrow} {
			screen(c.tab)
			c.shot(fmt.Sprintf("%s-%s-%d", name, scheme, browser.Value[int](c.tab, `innerWidth`)))
			c.audit()
		}
	}
	assert.LessOrEqual(c.t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360, name)
	assert.Empty(c.t, browser.Value[[]string](c.tab, `Array.from(document.querySelectorAll("#panel button, #panel input, #panel label.check")).filter(one => one.getClientRects().length && !(one.matches("input") && one.closest("label.check")))
		.filter(one => one.getBoundingClientRect().height < 40 || one.getBoundingClientRect().right > 352).map(one => one.outerHTML.slice(0, 100) + JSON.stringify(one.getBoundingClientRect()))`), name)
	c.tab.Scheme("light")
	c.tab.Till()
}

// The panels of the till and of the close of the day, also counted blindly, are accessible in both languages and schemes, and for a thumb.
func counterLooksWell(c *counter) {
	c.tab.Before(closesScript)
	c.tab.Allow("422 GET http://" + c.at + "/sales/daily-closes/") // the slips of these closes
	c.open()
	c.tab.Click("#guide button")
	for _, language := range []string{"es", "en"} {
		c.inLanguage(language)
		c.tab.Click("#printer")
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=paper]") !== null`)
		c.everyLook("till-" + language)
		c.keys(kb.Escape)
		for days, shows := range map[string]string{"none": "[name=opening]", "open": ".sums", "blind": ".sums"} {
			browser.Value[bool](c.tab, `(document.documentElement.days = `+quote(days)+`, true)`)
			c.keys(kb.F11)
			c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel `+shows+`") !== null`)
			c.everyLook("close-" + days + "-" + language)
			if days == "blind" {
				assert.NotContains(c.t, c.tab.Text("#panel-body"), "120")
				c.tab.Click("#panel [type=submit]")
				c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").innerText.includes("Bs")`) // nothing was counted
				assert.Zero(c.t, c.count("#panel .large"))
				c.tab.Click("#panel [type=submit]")
				c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .large") !== null`)
				assert.Contains(c.t, c.tab.Text("#panel .large"), map[string]string{"es": "FALTAN 20.406,50", "en": "20,406.50 SHORT"}[language])
				assert.Contains(c.t, c.tab.Text("#panel .facts"), map[string]string{"es": "faltan 75,00", "en": "75.00 short"}[language])
				c.everyLook("closed-" + language)
			}
			c.keys(kb.Escape)
			c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
		}
	}
}
