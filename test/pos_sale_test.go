package test

import (
	"fmt"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// Three animals on two draws take at most 15 keys and no mouse.
func counterSells(c *counter) {
	t := c.t
	c.open()
	pressed := c.keys("+", "05,18,22", "20", kb.Enter)
	require.Equal(t, 6, c.count("#lines .row"), c.tab.Text("#said"))
	pressed += c.keys(kb.F12)
	assert.LessOrEqual(t, pressed, 15)
	serial := c.sold()
	assert.Contains(t, c.tab.Text("#outcome strong"), "VENDIDO")
	assert.Zero(t, c.count("#lines .row"), "the counter is ready for the next ticket")
	sold := c.ticket(serial)
	assert.Equal(t, "120.00", sold["total"])
	assert.Contains(t, c.tab.Text("#last"), serial)

	c.keys(kb.F9) // the last ticket again
	require.Equal(t, 6, c.count("#lines .row"))
	c.keys("-", kb.ArrowUp, kb.Delete)
	assert.Equal(t, 4, c.count("#lines .row"), "the last line, and the chosen one")
	c.keys(kb.F2)
	assert.Zero(t, c.count("#lines .row"))
	id, _ := sold["id"].(string)
	c.tab.Visit("about:blank") // a link with another fragment alone leads nowhere else
	c.tab.Visit("http://" + c.at + "/vender#" + id)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row").length === 6`)
	assert.Empty(t, browser.Value[string](c.tab, `location.hash`), "a ticket is repeated once")
	c.keys(kb.F2)
	assert.Zero(t, c.count("#lines .row"))
	c.keys(kb.F10)
	c.tab.Until(`document.querySelector("#panel").open`)
	c.tab.Click("#panel .grave")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#last").innerText.includes("anulado")`)
	assert.Equal(t, "cancelled", c.ticket(serial)["status"])
	c.keys(kb.F1)
	c.tab.Until(`document.querySelector("#panel").open`)
	c.audit()
	c.keys(kb.Escape)
	c.audit()
}

// A refusal marks the line and says how much is left. Enter lowers it.
func counterIsRefused(c *counter) {
	t := c.t
	c.open()
	c.limit("31", "4.00")
	c.tab.Expect("433 POST")
	c.keys("30,31", "20", kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"), c.tab.Text("#said"))
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row.no").length === 1`)
	marked := c.tab.Text("#lines .row.no")
	assert.Contains(t, marked, "31")
	assert.Contains(t, marked, "quedan 4,00 (tope: operadora)")
	c.keys(kb.Enter)
	assert.Zero(t, c.count("#lines .row.no"))
	assert.Equal(t, "24,00", c.tab.Text("#total"))
	c.keys(kb.F12)
	assert.Equal(t, "24.00", c.ticket(c.sold())["total"])

	c.tab.Until(`document.querySelector('[data-code="31"]').classList.contains("blocked")`)
	c.keys("31", "5")
	assert.Contains(t, c.tab.Text("#said"), "31 Lapa: quedan 0,00", "it is said while typing")
}

// What a hurried person types is said at once, and nothing is lost.
func counterInAHurry(c *counter) {
	t := c.t
	c.open()
	for typed, said := range map[string]string{
		"x5": "«x5» no está en este juego.", "09-05,": "«09-05» no es una serie",
	} {
		c.keys(typed)
		assert.Contains(t, c.tab.Text("#said"), said, typed)
		c.keys(kb.Escape, kb.Escape)
	}
	for typed, shown := range map[string]string{"12,5": "12,50", "12.5": "12,50", "1.250,5": "1.250,50", "1000": "1.000,00"} {
		c.keys("14", typed, kb.Enter)
		assert.Contains(t, c.tab.Text("#lines"), shown, typed)
		c.keys("-")
	}
	c.keys("14", "0,1", kb.Enter)
	assert.Contains(t, c.tab.Text("#said"), "el monto mínimo es 1,00")
	c.keys(kb.Escape, kb.Escape)
	c.keys("00-30", "1", kb.Enter)
	assert.Equal(t, 31, c.count("#lines .row"))
	c.keys(kb.F12, kb.F12, kb.F12)
	assert.Equal(t, "31.00", c.ticket(c.sold())["total"])
	assert.Len(t, c.journal(), 1, "pressing again sells once")
}

// A ticket of as many lines as the entity allows is typed as fast as the keys come, in any form, and is sold once. The first line beyond is refused.
func counterTypesALongTicket(c *counter) {
	t := c.t
	const most = 200 // MAX_TICKET_LINES
	c.open()
	c.tab.Click(`[data-mode="triples"]`)
	entries := []string{"111", "222"}
	for a := range 8 { // three different digits have six permutations
		for b := a + 1; b < 9 && len(entries) < 2+33; b++ {
			entries = append(entries, fmt.Sprintf("%d%d9p", a, b))
		}
	}
	sum := 0
	for i, entry := range entries {
		c.tab.Press(entry + []string{"1", "1,5", "2.50", "1,25"}[i%4] + kb.Enter) // without a pause between the keys
		cents := []int{100, 150, 250, 125}[i%4]
		if i >= 2 {
			cents *= 6
		}
		sum += cents
	}
	require.Equal(t, most, c.count("#lines .row"), c.tab.Text("#said"))
	c.keys("999", "1", kb.Enter)
	assert.Contains(t, c.tab.Text("#said"), "200")
	assert.Equal(t, most, c.count("#lines .row"))
	c.keys(kb.Escape, kb.Escape, "abc")
	assert.Contains(t, c.tab.Text("#said"), "abc")
	c.keys(kb.Escape, kb.Escape)
	const serial = "ZZZZ9M2P4D6A"
	c.tab.Press(serial + kb.Enter + serial + kb.Enter) // an unknown receipt, scanned twice
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").innerText.includes(`+quote(serial)+`)`)
	c.keys(kb.Escape, kb.F12, kb.F12)
	ticket := c.ticket(c.sold())
	assert.Equal(t, fmt.Sprintf("%d.%02d", sum/100, sum%100), ticket["total"])
	assert.Len(t, c.journal(), 1)
}

// Numbers are sold in all forms, with a sign too.
func counterSellsNumbers(c *counter) {
	t := c.t
	c.open()
	c.tab.Click(`[data-mode="terminals"]`)
	c.tab.Until(`document.querySelectorAll("#grid .cell").length === 100`)
	c.keys("*5", kb.Enter, "2", kb.Enter)
	assert.Equal(t, 10, c.count("#lines .row"))
	c.tab.Click(`[data-mode="triples"]`)
	c.keys("123p", "3", kb.Enter)
	assert.Equal(t, 16, c.count("#lines .row"))
	c.tab.Click(`[data-bet="triple_sign"]`)
	c.keys("123/5", kb.Enter, "1", kb.Enter)
	assert.Contains(t, c.tab.Text("#lines"), "123 LEO")
	c.keys(kb.F12)
	assert.Equal(t, "39.00", c.ticket(c.sold())["total"])
}

// A telephone sells by touch, and nothing is wider than its screen.
func counterOnAPhone(c *counter) {
	t := c.t
	c.open()
	c.tab.Narrow()
	c.tab.Scheme("dark")
	c.jobsByAFinger()
	c.tab.Click(`[data-code="15"]`)
	c.tab.Fill("#amount", "8")
	c.tab.Click("#entry button")
	require.Equal(t, 1, c.count("#lines .row"))
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.audit()
	c.opensTheSheet()
	c.tab.Click("#sell")
	assert.Equal(t, "11.00", c.ticket(c.sold())["total"])
	c.shot("phone")
	c.mendsByAFinger()
}

// opensTheSheet: the last line of the ticket is in sight without scrolling the page, and a touch of the count shows the lines before it.
func (c *counter) opensTheSheet() {
	c.t.Helper()
	for _, code := range []string{"16", "17", "18"} {
		c.tab.Click(`[data-code="` + code + `"]`)
		c.tab.Fill("#amount", "1")
		c.tab.Click("#entry button")
	}
	seen := func(row string) bool {
		return browser.Value[bool](c.tab, `(() => {
			const row = document.querySelector("#lines .row:`+row+`").getBoundingClientRect(), at = document.elementFromPoint(row.x + 20, row.y + row.height / 2)
			return scrollY === 0 && at?.closest(".row")?.matches(":`+row+`") === true
		})()`)
	}
	assert.True(c.t, seen("last-child"), "the last line")
	assert.False(c.t, seen("nth-of-type(1)"), "the first line, under the sheet")
	c.tab.Click("#count")
	assert.True(c.t, seen("nth-of-type(1)"), "the first line, once opened")
	c.shot("phone-sheet")
	c.tab.Click("#number")
	c.tab.Until(`document.querySelector("#lines").offsetHeight <= 45`)
}

// jobsByAFinger: the foot of a phone has the jobs of the cashier in sight, and opens the others as the head does.
func (c *counter) jobsByAFinger() {
	c.t.Helper()
	assert.True(c.t, browser.Value[bool](c.tab, `Array.from(document.querySelectorAll(".jobs > button")).every(one => one.getBoundingClientRect().height >= 44 && one.getBoundingClientRect().bottom <= innerHeight)`))
	for opens, job := range map[string]string{".jobs .opens": "list", ".top .opens": "help"} {
		job = `[data-do="` + job + `"]`
		assert.False(c.t, browser.Value[bool](c.tab, `document.querySelector('`+job+`').checkVisibility()`))
		c.tab.Click(opens)
		c.audit()
		c.tab.Click(job)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && !document.querySelector(":popover-open")`)
		c.keys(kb.Escape)
	}
}

// mendsByAFinger: the fixed bar of a phone has the refused line with its buttons, and leaves the fields free.
func (c *counter) mendsByAFinger() {
	c.t.Helper()
	free := `document.querySelector("#entry button").getBoundingClientRect().bottom <= document.querySelector(".sum").getBoundingClientRect().top`
	c.limit("32", "50.00")
	c.tab.Expect("433 POST")
	c.tab.Click(`[data-code="32"]`)
	c.tab.Fill("#amount", "90")
	c.tab.Click("#entry button")
	assert.True(c.t, browser.Value[bool](c.tab, `(scrollTo(0, 0), `+free+`)`), "the bar has two lines")
	c.tab.Click("#sell")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#mend [data-do=lower]") !== null`)
	assert.NotContains(c.t, c.tab.Text("#outcome"), "Supr", "a finger has no keys")
	c.audit()
	c.tab.Click("#mend [data-do=lower]")
	assert.Empty(c.t, c.tab.Text("#outcome"))
	assert.Zero(c.t, c.count("#lines .row.no"))
}

// A scanner opens the ticket, even in the middle of an amount, and leaves the amount as it was.
func counterOpensTickets(c *counter) {
	t := c.t
	c.open()
	c.keys("16", "5", kb.Enter, kb.F12)
	serial := c.sold()
	c.keys("17")
	c.keys("4")
	c.tab.Press(fmt.Sprintf("HTTPS://EXAMPLE.COM/T/%s", serial) + kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-title").innerText === "`+serial+`"`)
	assert.Contains(t, c.tab.Text("#panel-body"), "en juego")
	c.keys(kb.Escape)
	assert.Equal(t, "4", browser.Value[string](c.tab, `document.querySelector("#amount").value`))
	assert.Equal(t, "17", browser.Value[string](c.tab, `document.querySelector("#number").value`))
	assert.Equal(t, "amount", browser.Value[string](c.tab, `document.activeElement.id`), "the cursor is where it was")
}
