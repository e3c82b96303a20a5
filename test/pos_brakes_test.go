package test

import (
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
)

// The same lines on the same draws within two minutes are asked about once, also after a reload: F12 answers nothing, Enter sells another ticket, and a
// changed ticket is sold at once.
func counterAsksAboutATwin(c *counter) {
	t := c.t
	c.open()
	c.keys("29,30", "7", kb.Enter, kb.F12)
	first := c.sold()
	twin := func() {
		t.Helper()
		c.keys("30,29", "7", kb.Enter, kb.F12)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome [data-do=asked]") !== null`)
	}
	twin()
	c.shot("twin")
	c.keys(kb.F12)
	require.Equal(t, 2, c.count("#lines .row"), "F12 answers no question")
	c.keys(kb.Enter)
	second := c.sold()
	assert.NotEqual(t, first, second)
	assert.Equal(t, c.stakes(first), c.stakes(second))
	assert.Len(t, c.journal(), 2)

	c.reload()
	c.online()
	c.choosesWithTime()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#last .sold").length > 0`)
	twin()
	c.keys("32", "7", kb.Enter, kb.F12)
	assert.Len(t, c.stakes(c.sold()), 3, "it is another ticket now")
}

// A repeated amount ends with its ticket unless it is pinned.
func counterForgetsTheAmount(c *counter) {
	t := c.t
	c.open()
	c.keys("01", "4", kb.Enter, "02", kb.Enter, kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"))
	c.keys(kb.F12)
	c.sold()
	c.keys("03", kb.Enter)
	assert.Equal(t, "amount", c.focus())
	assert.Empty(t, browser.Value[string](c.tab, `document.querySelector("#amount").placeholder`))
	c.keys(kb.Enter)
	assert.Zero(t, c.count("#lines .row"), "the amount of the ticket before is not meant")
	c.keys("6", kb.Enter)
	c.tab.Click("#pin")
	c.keys(kb.F12)
	before := c.sold()
	c.keys("04", kb.Enter, kb.Enter, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#outcome").innerText.includes("`+before+`")`)
	assert.Equal(t, map[string]string{"4": "6.00"}, c.stakes(c.sold()), "the pinned one is")
}

// ?5 chooses five different numbers of what is left, and shows them before the amount and on the ticket.
func counterChoosesAtRandom(c *counter) {
	t := c.t
	c.open()
	c.keys("?", "5")
	assert.Contains(t, c.tab.Text("#said"), "5 al azar")
	c.keys(kb.Enter)
	assert.Equal(t, "amount", c.focus())
	shown := strings.Split(c.value("number"), ",")
	require.Len(t, shown, 5)
	c.keys("2", kb.Enter)
	assert.Equal(t, shown, c.texts("#lines .row b"), "no sale: other tests have limits on numbers")
	c.keys(kb.F2)
}

// "??" shows the numbers that nobody has on the chosen draws, "??5" chooses among them: a number is gone from them once it is sold.
func counterShowsUnsoldNumbers(c *counter) {
	t := c.t
	c.open()
	unsold := func(code string) string {
		return `getComputedStyle(document.querySelector('#grid [data-code="` + code + `"]')).visibility === "visible"`
	}
	c.sells("27")
	c.keys("??")
	c.tab.UntilWithin(testkit.WaitTimeout, `!(`+unsold("27")+`) && document.querySelector("#said").innerText.includes("Nadie tiene")`)
	c.shot("unsold")
	c.audit()
	c.keys("2", kb.Enter) // the other parts have bought most of what a late draw offers
	for code := range strings.SplitSeq(c.value("number"), ",") {
		assert.NotEqual(t, "27", code)
	}
	require.Len(t, strings.Split(c.value("number"), ","), 2)
	c.keys(kb.Escape, "??", kb.Enter)
	assert.Equal(t, "??", c.value("number"), "there is no number of them")
	c.tab.Click(`#grid .cell:not(.had)`)
	assert.NotContains(t, c.value("number"), "?")
	c.keys(kb.Escape, kb.Escape)
	c.tab.Click(`#bets [data-bet="tripleta"]`)
	c.keys("??", "1", kb.Enter)
	c.saysSoon("no se cuenta")
}

// More numbers than a tripleta has become all their tripletas, with what they cost.
func counterCombines(c *counter) {
	t := c.t
	c.open()
	c.tab.Click(`#bets [data-bet="tripleta"]`)
	c.keys("05,18,22,30", kb.Enter, "5")
	assert.Contains(t, c.tab.Text("#said"), "20,00")
	c.keys(kb.Enter)
	assert.Equal(t, 4, c.count("#lines .row"), c.tab.Text("#said"))
	c.keys(kb.F12)
	assert.Equal(t, "20.00", c.ticket(c.sold())["total"])
}

// After the sale the page says in large figures what to collect and the change, and the next key is the number of the next ticket.
func counterSaysWhatToCollect(c *counter) {
	t := c.t
	c.open()
	c.keys("08,09", "20", kb.Enter, kb.End)
	assert.Equal(t, "received", c.focus())
	c.keys("100", kb.Enter)
	c.sold()
	assert.Equal(t, "number", c.focus())
	said := c.tab.Text(".collect")
	assert.Contains(t, said, "40,00")
	assert.Contains(t, said, "60,00")
	assert.InDelta(t, 40, browser.Value[float64](c.tab, `parseFloat(getComputedStyle(document.querySelector(".collect dd")).fontSize)`), 0.1)
	c.shot("collect")
	c.keys("10", "20", kb.Enter)
	assert.Zero(t, c.count(".collect"))
	assert.Equal(t, []string{"50", "100", "200"}, c.texts(`.notes [data-note]:not([hidden])`), "none is below the total")
	c.tab.Click(`.notes [data-value="50"]`)
	assert.Equal(t, "number", c.focus())
	assert.Equal(t, "30,00", c.tab.Text("#change"))
	c.tab.Click(`.notes [data-value=""]`)
	assert.Equal(t, "0,00", c.tab.Text("#change"))
}
