package test

import (
	"net/http"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// asksPayments opens the dialog of means by its key.
func (c *counter) asksPayments() {
	c.t.Helper()
	browser.Value[bool](c.tab, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "F12", shiftKey: true, bubbles: true})) || true`)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .payments") !== null`)
}

// setRate sets what a unit of a currency is worth today, in bolívares.
func (c *counter) setRate(code, rate string) {
	c.t.Helper()
	token := c.login(panelUser)
	for _, currency := range c.get("/currencies", token).list() {
		if currency["code"] != code {
			continue
		}
		id, _ := currency["id"].(string)
		today := browser.Value[string](c.tab, `new Intl.DateTimeFormat("en-CA", {timeZone: "`+walkZone+`"}).format(new Date())`)
		set := c.do(http.MethodPut, "/currencies/"+id+"/rates/"+today, token, map[string]any{"currency": "VES", "rate": rate}, "")
		require.Equal(c.t, http.StatusOK, set.status, string(set.raw))
		return
	}
	require.Fail(c.t, "no such currency", code)
}

// paid reads a ticket with what it was paid with.
func (c *counter) paid(serial string) map[string]any {
	c.t.Helper()
	id, _ := c.ticket(serial)["id"].(string)
	found := c.get("/sales/tickets/"+id, c.login(cashier))
	require.Equal(c.t, http.StatusOK, found.status)
	return found.data()
}

// A ticket is paid by card, in dollars with change in bolívares, and by a mobile payment that has not arrived: nothing is sold then, and cash sells it.
func counterTakesOtherMeans(c *counter) {
	t := c.t
	c.setRate("USD", "245.50")
	c.open()
	c.keys("03,04", "50", kb.Enter)
	c.asksPayments()
	c.tab.Fill("#panel [name=card]", "60")
	assert.Contains(t, c.tab.Text("#panel .draws-sum"), "Faltan 40,00")
	c.keys(kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.activeElement.matches("#panel .means input") && !document.activeElement.value`)
	assert.Empty(t, c.tab.Text("#panel-said"), "what is missing is said once")
	c.shot("means")
	c.audit()
	c.tab.Fill("#panel [name=cash]", "50")
	assert.Contains(t, c.tab.Text("#panel .draws-sum"), "Vuelto: 10,00")
	c.keys(kb.Enter)
	serial := c.sold()
	assert.Contains(t, c.tab.Text("#outcome"), "10,00")
	ticket := c.paid(serial)
	assert.Equal(t, "100.00", ticket["total"])
	assert.Len(t, ticket["payments"], 2)
	assert.Len(t, ticket["change"], 1)

	c.keys("03,04", "51", kb.Enter)
	c.asksPayments()
	c.tab.Fill("#panel [name=mobile]", "102")
	c.tab.Fill("#panel [name=mobile_reference]", "1234")
	c.tab.Expect("409 POST")
	c.keys(kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").className === "outcome bad"`)
	c.shot("means-refused")
	assert.Equal(t, 2, c.count("#lines .row"), "the ticket stays")
	assert.Zero(t, c.count("#pending *"))
	c.asksPayments()
	assert.Equal(t, "1234", browser.Value[string](c.tab, `document.querySelector("#panel [name=mobile_reference]").value`), "what was typed stays")
	c.tab.Narrow()
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.audit()
	c.shot("means-phone")
	c.tab.Till()
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .payments") !== null`)
	c.tab.Fill("#panel [name=mobile]", " ")
	c.tab.Fill("#panel [name=mobile_reference]", " ")
	c.tab.Fill("#panel [name=cash]", "102")
	c.keys(kb.Enter)
	assert.NotContains(t, c.paid(c.sold()), "payments", "exact cash")

	c.keys("03", "52", kb.Enter)
	c.asksPayments()
	c.tab.Fill("#panel [name=cash_USD]", "20")
	said := c.tab.Text("#panel .draws-sum")
	assert.Contains(t, said, "Vuelto: ")
	c.tab.Choose("#panel [name=change]", "USD")
	browser.Value[bool](c.tab, `document.querySelector("#panel [name=change]").dispatchEvent(new Event("input", {bubbles: true}))`)
	assert.Contains(t, c.tab.Text("#panel .draws-sum"), "$")
	c.shot("means-dollars")
	c.tab.Click("#panel [type=submit]")
	ticket = c.paid(c.sold())
	assert.Contains(t, c.tab.Text("#outcome .mixed"), " $ + ", "symbols, as on the rest of the page")
	assert.Less(t, browser.Value[float64](c.tab, `document.querySelector("#outcome .mixed").getBoundingClientRect().height`), 50.0, "on one line")
	assert.Equal(t, "52.00", ticket["total"])
	assert.Len(t, ticket["payments"], 1)
	assert.NotEmpty(t, ticket["change"])

	c.keys("04", "50", kb.Enter) // 0,21 USD are 1,56 more than 50,00: more than half a cent
	c.asksPayments()
	c.tab.Click("#panel .means:nth-child(3) button")
	assert.Contains(t, c.tab.Text("#panel .draws-sum"), "Vuelto: 1,56")
	c.tab.Click("#panel [type=submit]")
	assert.Equal(t, "50.00", c.paid(c.sold())["total"])
}

// A part of a ticket that a limit refuses is paid by what was said before: what the cash is too much becomes change, and a card is asked for again.
func counterTakesMeansForAPart(c *counter) {
	t := c.t
	c.limit("34", "40.00")
	c.open()
	c.tab.Allow("433 POST")
	c.tab.Allow("422 POST")
	part := func(stake string, pay func()) {
		t.Helper()
		c.keys("34,06", stake, kb.Enter)
		c.asksPayments()
		pay()
		c.keys(kb.Enter)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row.no").length === 1`)
		c.keys("p")
	}
	part("50", func() { c.tab.Fill("#panel [name=card]", "100") })
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .payments") !== null && document.querySelector("#panel [name=card]").value === "100,00"`)
	assert.Equal(t, "Cobrar 90,00", c.tab.Text("#panel-title"))
	c.shot("means-part")
	c.tab.Fill("#panel [name=card]", "60")
	c.tab.Fill("#panel [name=cash]", "30")
	c.keys(kb.Enter)
	assert.Equal(t, "90.00", c.paid(c.sold())["total"])

	part("40", func() {
		c.tab.Fill("#panel [name=card]", "10")
		c.tab.Fill("#panel [name=cash]", "100")
	})
	serial := c.sold()
	assert.Contains(t, c.tab.Text("#outcome"), "30,00 + 40,00", "the change that was asked for, and what the part costs less")
	ticket := c.paid(serial)
	assert.Equal(t, "40.00", ticket["total"])
	assert.Len(t, ticket["change"], 2)
}
