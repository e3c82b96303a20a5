package test

import (
	"strconv"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// paste gives the page a text as Ctrl V does.
func (c *counter) paste(text string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `(() => {
		const data = new DataTransfer()
		data.setData("text", `+strconv.Quote(text)+`)
		return !document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}))
	})()`)
}

// A message of seven bets is pasted and sold by three keys: Ctrl V, Enter, F12. Each bet is on the draw that the message names.
func counterPastesAList(c *counter) {
	t := c.t
	c.open()
	c.paste("buenas mi reina\n20 al leon y burro\n05 18 22 x 10\n30 gato, 15 al mono")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll(".parsed .row").length === 7`)
	assert.Contains(t, c.tab.Text(".parsed-sum"), "115,00")
	c.shot("list")
	c.keys(kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.Equal(t, 5, c.count("#lines .row"), "equal bets are one line")
	c.keys(kb.F12)
	ticket := c.ticket(c.sold())
	assert.Equal(t, "115.00", ticket["total"])
}

// What is not understood is red and not added: it stays in the list, and the cashier closes it.
func counterRefusesAPartOfAList(c *counter) {
	t := c.t
	c.open()
	c.paste("leon 20\nel de siempre\n18 bs 20")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll(".parsed .row.no").length === 2`)
	assert.Contains(t, c.tab.Text(".parsed"), "siempre")
	c.shot("list-refused")
	c.audit()
	c.tab.Narrow()
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.audit()
	c.shot("list-phone")
	c.keys(kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector(".list textarea").value === "el de siempre\n18 bs 20"`)
	assert.Equal(t, 1, c.count("#lines .row"))
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.Equal(t, 1, c.count("#lines .row"), "nothing else was added")
	c.keys(kb.Enter, kb.F12)
	require.Equal(t, "20.00", c.ticket(c.sold())["total"])
}

// A name stands for its number: Enter goes on to the amount. Letters that begin several names are asked about.
func counterTypesNames(c *counter) {
	t := c.t
	c.open()
	c.keys("bur", kb.Enter)
	assert.Equal(t, "18", c.value("number"))
	assert.Equal(t, "amount", c.focus())
	c.keys("20", kb.Enter, "ga", kb.Enter)
	assert.Contains(t, c.tab.Text("#said"), "varios")
	assert.Equal(t, 1, c.count("#lines .row"))
	c.keys("t", kb.Enter, "5", kb.Enter, kb.F12)
	assert.Equal(t, map[string]string{"18": "20.00", "11": "5.00"}, c.stakes(c.sold()))
}

// A pasted number goes into its field; a list is typed after Shift F3, and while a ticket is sold none is taken.
func counterTypesAList(c *counter) {
	t := c.t
	c.open()
	browser.Value[bool](c.tab, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "F3", shiftKey: true, bubbles: true})) || true`)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.activeElement === document.querySelector(".list textarea")`)
	c.keys("leon 20", kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open && document.querySelectorAll("#lines .row").length === 1`)
	c.keys(kb.F12)
	assert.Equal(t, map[string]string{"5": "20.00"}, c.stakes(c.sold()))
}
