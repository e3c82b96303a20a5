package test

import (
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/printer"
	"banca/internal/setup/seed"
)

// Results have the animal and the hour, today's last hour first; yesterday's are folded below their date.
func counterShowsResults(c *counter) {
	t := c.t
	c.tab.Before(`{
		const plain = fetch, at = hours => new Date(Date.now() - hours * 3600000).toISOString()
		const result = (value, draw_time) => ({game_id: "` + seed.ID("game", "lotto-activo").String() + `", game: "Lotto Activo", draw_time, value})
		const other = {game_id: "` + seed.ID("game", "la-granjita").String() + `", game: "La Granjita", draw_time: at(0.5), value: "1"}
		const frequent = [["5", "León", 14, 2], ["18", "Burro", 12, 0], ["0", "Delfín", 11, 7], ["22", "Camello", 0, 360], ["33", "Pescado", 2, 120]].map(([value, name, drawn, absent]) => ({value, name, drawn, absent}))
		window.asked = []
		window.fetch = async (address, options) => {
			const path = String(address)
			if (path.includes("/results/frequencies?")) return new Response(JSON.stringify({data: frequent}))
			if (!path.includes("/results?")) return plain(address, options)
			asked.push(new URLSearchParams(path.split("?")[1]).get("date"))
			return new Response(JSON.stringify({data: asked.length % 2 ? [result("18", at(2)), result("5", at(1)), result("00", at(3)), other] : [result("1", at(26))]}))
		}
	}`)
	c.printsOn(serialPrinter)
	c.open()
	browser.Value[bool](c.tab, `document.dispatchEvent(new KeyboardEvent("keydown", {key: "F7", shiftKey: true, bubbles: true, cancelable: true}))`)
	c.titled("Resultados")
	assert.Len(t, c.texts("#panel .drawn-list > .line .number"), 4)
	assert.Contains(t, c.tab.Text("#panel .numbers"), "letras del juego")
	c.shot("results-all")
	c.keys("LOTT")
	assert.Equal(t, []string{"5 León", "18 Burro", "00 Ballena"}, c.texts("#panel .drawn-list > .line .number"))
	assert.Equal(t, "1 Carnero", browser.Value[string](c.tab, `document.querySelector("#panel details .number").textContent.trim()`))
	assert.False(t, browser.Value[bool](c.tab, `document.querySelector("#panel details").open`))
	days := browser.Value[[]string](c.tab, `asked`)
	require.Len(t, days, 2)
	assert.Less(t, days[1], days[0])
	year, rest, _ := strings.Cut(days[1], "-")
	month, day, _ := strings.Cut(rest, "-")
	assert.Contains(t, c.tab.Text("#panel summary"), day+"/"+month+"/"+year)
	c.tab.Click("#panel summary")
	c.says("ausentes desde")
	chips := c.texts("#panel .chip")
	assert.Equal(t, "5 León 14 veces", chips[0])
	assert.Equal(t, "22 Camello 360 sorteos", chips[4], "the longest absence first")
	c.shot("results")
	c.audit()
	browser.Value[bool](c.tab, `document.querySelector("#panel [name=game]").focus() ?? true`)
	c.keys(kb.Enter)
	c.awaitPrinted(1)
	paper, err := printer.Feed(c.printed()[0])
	require.NoError(t, err)
	assert.Contains(t, paper.Text, "RESULTADOS")
	c.tab.Narrow()
	c.shot("results-360")
	c.tab.Scheme("dark")
	c.shot("results-360-dark")
	c.audit()
	c.keys(kb.Escape)
	c.sharesResults()
	c.tab.Scheme("light")
	c.tab.Till()

	c.tab.Visit("http://" + c.at + "/admin/account?lang=en")
	for range 5 { // the browser keeps the page of the language before until its second load
		c.tab.Visit("http://" + c.at + "/vender")
		c.online()
		if browser.Value[string](c.tab, `document.documentElement.lang`) == "en" {
			break
		}
	}
	c.tab.Click(`[data-do="results"]`)
	c.titled("Results")
	c.keys("lott")
	c.says("drawn most often in 30 days")
	c.shot("results-en")
	c.audit()
	c.keys(kb.Escape)
}

// sharesResults hands the picture of the list to another program, on a telephone that has one.
func (c *counter) sharesResults() {
	c.t.Helper()
	browser.Value[bool](c.tab, `{
		navigator.canShare = () => true
		navigator.share = async ({files}) => { window.shared = files[0].type + " " + files[0].size }
		true
	}`)
	c.tab.Click(".jobs .opens")
	c.tab.Click(`[data-do="results"]`)
	c.titled("Resultados")
	c.tab.Click("#panel-row button[type=button]")
	c.tab.UntilWithin(testkit.WaitTimeout, `/^image\/png \d{3,}$/.test(window.shared)`)
	c.shot("results-360-share")
	c.keys(kb.Escape)
}
