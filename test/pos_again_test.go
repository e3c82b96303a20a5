package test

import (
	"net/http"
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// openDraws returns the ids of the next two draws of the game that the page has chosen.
func (c *counter) openDraws() []string {
	c.t.Helper()
	return browser.Value[[]string](c.tab, `import("/admin/static/pos-desk.js").then(({desk, onSale}) => {
		const chosen = desk.draws.get(document.querySelector('#draws .draw[aria-pressed="true"]').dataset.draw)
		return onSale(["straight"], draw => draw.game_id === chosen.game_id).slice(0, 2).map(draw => draw.id)
	})`)
}

// A customer's last ticket is repeated by five keys, once the customer was served on this page; before that, by the telephone.
func counterRepeatsForACustomer(c *counter) {
	t := c.t
	c.open()
	sold := c.post("/sales/tickets", c.login(cashier), map[string]any{
		"currency": "VES", "customer": map[string]any{"name": "Rosa de siempre", "phone": "04147770011"},
		"items": []map[string]any{
			{"draw_id": c.openDraws()[0], "bet_type": "straight", "selection": "12", "amount": "3.00"},
			{"draw_id": c.openDraws()[0], "bet_type": "straight", "selection": "13", "amount": "4.00"},
		},
	}, uuid.NewString())
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	customer := sold.data()["customer_id"]

	c.keys(kb.F6, "7770011")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#panel .found button").length === 1`)
	c.keys(kb.ArrowDown, kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.activeElement.dataset.digit === "1"`)
	c.shot("customer")
	c.audit()
	c.keys("1")
	assert.Equal(t, 2, c.count("#lines .row"))
	assert.Contains(t, c.tab.Text("#customer"), "Rosa")
	c.keys(kb.F12)
	first := c.ticket(c.sold())
	assert.Equal(t, "7.00", first["total"])
	assert.Equal(t, customer, first["customer_id"])

	pressed := c.keys(kb.F6, kb.ArrowDown, kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.activeElement.dataset.digit === "1"`)
	pressed += c.keys("1", kb.F12)
	assert.Equal(t, 5, pressed)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome [data-do=asked]") !== null`)
	c.keys(kb.Enter) // the same lines within two minutes
	second := c.ticket(c.sold())
	assert.Equal(t, customer, second["customer_id"])
	assert.Equal(t, first["total"], second["total"])

	c.keys(kb.F6, "123")
	assert.Equal(t, "phone", browser.Value[string](c.tab, `document.activeElement.name`), "digits are text in a field")
	c.tab.Narrow()
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.keys(kb.Escape)
}

// A ticket of the till is repeated on another game with one stake, and pinned: it stays after a reload.
func counterRepeatsWithChanges(c *counter) {
	t := c.t
	c.open()
	c.keys("14,15", "2", kb.Enter, "16", "9", kb.Enter, kb.F12)
	c.sold()
	c.keys(kb.Escape)
	again := func() {
		t.Helper()
		browser.Value[bool](c.tab, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "F9", shiftKey: true, bubbles: true})) || true`)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.activeElement.dataset.digit === "1"`)
	}
	again()
	c.tab.Choose("#panel select", browser.Value[string](c.tab, `Array.from(document.querySelectorAll("#panel option")).find(one => one.text === "La Granjita").value`))
	c.tab.Fill("#panel [name=stake]", "5")
	c.shot("again")
	c.audit()
	c.tab.Click("#panel .again > button:nth-child(2)")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .again [aria-pressed=true]") !== null`)
	c.tab.Click("#panel .again > button:first-child")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.Equal(t, 3, c.count("#lines .row"))
	assert.Contains(t, strings.ToLower(c.tab.Text("#lines")), "la granjita")
	c.keys(kb.F12)
	ticket := c.ticket(c.sold())
	assert.Equal(t, "15.00", ticket["total"], "one stake for each line")

	c.reload()
	c.online()
	c.choosesWithTime()
	again()
	assert.Equal(t, 1, c.count("#panel .again [aria-pressed=true]"))
	c.tab.Narrow()
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.shot("again-phone")
	c.keys("1")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.Equal(t, 3, c.count("#lines .row"))
	assert.Contains(t, c.tab.Text("#total"), "13,00", "the favourite has its own stakes")
}
