package test

import (
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// focused returns the draw of the cell that has the focus.
func (c *counter) focused() string {
	c.t.Helper()
	return browser.Value[string](c.tab, `document.activeElement.dataset.draw || ""`)
}

// opensTable opens the table of draws by its key.
func (c *counter) opensTable() {
	c.t.Helper()
	c.keys(kb.F3)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel .hours") !== null && document.activeElement.dataset.draw !== undefined`)
}

// Draws are chosen by keys: arrows, the space bar, a row, an hour, letters, today only.
func counterChoosesInTheTable(c *counter) {
	t := c.t
	c.open()
	before := c.chosenDraws()
	c.opensTable()
	assert.Equal(t, before[0], c.focused(), "the cell of the chosen draw")
	inner := `(name => document.querySelector("#panel " + name).getBoundingClientRect())`
	assert.InDelta(t, browser.Value[float64](c.tab, inner+`("#panel-body").width`), browser.Value[float64](c.tab, inner+`(".hours").width`), 20, "the table has the whole dialog")
	assert.GreaterOrEqual(t, browser.Value[float64](c.tab, inner+`(".hints").top`), browser.Value[float64](c.tab, inner+`(".hours").bottom`), "the keys are below it")
	assert.Less(t, browser.Value[float64](c.tab, inner+`(".hints").height`), 60.0)
	c.shot("table")
	c.audit()
	there, back := kb.ArrowDown, kb.ArrowUp
	c.keys(there)
	if c.focused() == before[0] { // the next draw of the day is in the last row
		there, back = back, there
		c.keys(there)
	}
	c.keys(back, there)
	below := c.focused()
	require.NotEqual(t, before[0], below)
	c.keys(" ", kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.ElementsMatch(t, []string{before[0], below}, c.chosenDraws())

	c.opensTable()
	c.keys("granj")
	rows := browser.Value[[]string](c.tab, `Array.from(document.querySelectorAll("#panel tbody tr:not([hidden])"), row => row.querySelector("th").innerText.toLowerCase())`)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		assert.Contains(t, row, "granj")
	}
	c.keys("zzz", "1")
	assert.NotZero(t, c.count("#panel .today"), "letters of no game are not taken, 1 is today only")
	c.keys("1", kb.Home)
	whole := browser.Value[int](c.tab, `document.activeElement.closest("tr").querySelectorAll("td button").length`)
	assert.Equal(t, whole, c.count(`#panel tbody tr:not([hidden]) [aria-pressed="true"]`), "the whole row")
	c.keys(kb.Home)
	assert.Zero(t, c.count(`#panel tbody tr:not([hidden]) [aria-pressed="true"]`))
	c.keys(kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, kb.PageUp)
	hour := browser.Value[int](c.tab, `document.querySelectorAll('#panel td [data-hour="' + document.activeElement.dataset.hour + '"]').length`)
	assert.Equal(t, hour, browser.Value[int](c.tab, `document.querySelectorAll('#panel td [data-hour="' + document.activeElement.dataset.hour + '"][aria-pressed="true"]').length`), "the whole hour")
	c.shot("table-hour")
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.ElementsMatch(t, []string{before[0], below}, c.chosenDraws(), "Esc leaves the choice as it was")
	c.keys(kb.Escape, kb.Escape)
	assert.Len(t, c.chosenDraws(), 1)

	c.tab.Narrow()
	c.opensTable()
	c.tab.Click("#panel tbody tr:nth-child(2) th button")
	assert.Positive(t, c.count(`#panel tbody tr:nth-child(2) [aria-pressed="true"]`), "a row's head takes all its hours")
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.audit()
	c.shot("table-phone")
	c.keys(kb.Escape)
}

// The lines of a ticket go on a draw that is added later, by one Enter more; each mode keeps its choice; F4 chooses the hour, and leaves it.
func counterSpreadsItsLines(c *counter) {
	t := c.t
	c.open()
	c.keys("05,18", "20", kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"))
	c.keys("+")
	said := c.tab.Text("#moved")
	assert.Contains(t, said, "También 2 jugadas en ")
	assert.Contains(t, said, "80,00")
	assert.Equal(t, 1, c.count("#draws .unused"), "chosen, without a line")
	c.shot("spread")
	c.audit()
	c.keys(kb.Escape)
	assert.Equal(t, "none", browser.Value[string](c.tab, `getComputedStyle(document.querySelector("#moved")).display`))
	assert.Equal(t, 2, c.count("#lines .row"), "Esc adds nothing")
	c.keys("+", kb.Enter)
	assert.Equal(t, 4, c.count("#lines .row"))
	assert.Contains(t, c.tab.Text("#total"), "80,00")
	c.keys(kb.Enter)
	assert.Equal(t, 4, c.count("#lines .row"), "a second Enter adds nothing more")

	chosen := c.chosenDraws()
	require.Len(t, chosen, 3)
	c.tab.Click(`[data-mode="triples"]`)
	assert.Len(t, c.chosenDraws(), 1)
	c.tab.Click(`[data-mode="animals"]`)
	assert.Equal(t, chosen, c.chosenDraws(), "the mode keeps its choice")
	c.keys(kb.F2)
	require.Len(t, c.chosenDraws(), 1)

	c.keys(kb.F4)
	if strings.Contains(c.tab.Text("#moved"), "Enter") { // of more than six draws
		assert.Len(t, c.chosenDraws(), 1)
		c.keys(kb.Enter)
	}
	hour := browser.Value[bool](c.tab, `import("/admin/static/pos-desk.js").then(({desk}) => {
		const chosen = Array.from(document.querySelectorAll('#draws .draw[aria-pressed="true"]'), chip => desk.draws.get(chip.dataset.draw)), hour = draw => draw.draw_time.slice(0, 13)
		return chosen.every(draw => hour(draw) === hour(chosen[0])) && chosen.length === document.querySelectorAll('#draws .draw[aria-pressed="true"]').length
	})`)
	assert.True(t, hour)
	c.keys(kb.F4)
	assert.Len(t, c.chosenDraws(), 1, "F4 again leaves the hour")
}

// Six lines on two draws are sold by 13 keys.
func counterCountsItsKeys(c *counter) {
	t := c.t
	c.open()
	pressed := c.keys("+", "05,18,22", "20", kb.Enter, kb.F12)
	assert.Equal(t, "120.00", c.ticket(c.sold())["total"])
	assert.LessOrEqual(t, pressed, 14)
}
