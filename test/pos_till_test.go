package test

import (
	"bytes"
	"slices"
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/printer"
)

const bluetoothPrinter = "bluetoothPrinter" // as usbPrinter

// pulse opens the drawer: ESC p, the first pin, 50 ms on, 500 ms off.
const pulse = "\x1bp\x00\x19\xfa"

// printerIs waits until the head has a state of the printer.
func (c *counter) printerIs(text string) {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#printer").innerText === `+quote(text))
}

// saves presses the main button of the dialog, and waits until a key is for the page again.
func (c *counter) saves() {
	c.t.Helper()
	c.tab.Click("#panel-row .main")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
}

// sells puts a number on a ticket, sells it for 2,00 and returns its ticket.
func (c *counter) sells(number string) map[string]any {
	c.t.Helper()
	c.keys(number, "2", kb.Enter, kb.F12)
	return c.ticket(c.sold())
}

// fed is the paper of a job whose bytes begin with a prefix.
func (c *counter) fed(job []byte, prefix string) *printer.Paper {
	c.t.Helper()
	require.True(c.t, bytes.HasPrefix(job, []byte(prefix)), "% x", job[:min(len(job), 20)])
	paper, err := printer.Feed(job[len(prefix):])
	require.NoError(c.t, err)
	return paper
}

// looks audits and pictures the page on a till, and on a small phone in the dark.
func (c *counter) looks(name string) {
	c.t.Helper()
	c.shot(name)
	c.audit()
	c.tab.Narrow()
	c.tab.Scheme("dark")
	c.shot(name + "-360-dark")
	c.audit()
	assert.LessOrEqual(c.t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360, name)
	c.tab.Scheme("light")
	c.tab.Till()
}

// A till keeps its name, its paper and whether it has a drawer. The test page and receipts are for the paper; the drawer opens at sales for cash and at prizes, not
// at copies or other means.
func counterHasATill(c *counter) {
	t := c.t
	c.printsOn(usbPrinter)
	c.tab.Before(secondPrize)
	c.open()
	c.printerIs("impresora lista")
	c.tab.Click("#printer")
	c.titled("Caja e impresora")
	c.tab.Fill("#panel [name=name]", "Caja 2")
	c.tab.Click(`#panel [value="80"]`)
	c.tab.Click("#panel [name=drawer]")
	c.tab.Click("#panel-row [type=button]")
	page := c.fed(c.awaitPrinted(1), pulse)
	assert.Contains(t, page.Text, "PÁGINA DE PRUEBA")
	assert.Contains(t, page.Text, "\n"+strings.Repeat("1234567890", 5)[:48]+"\n")
	assert.Contains(t, page.Text, "áéíóúüñ ÁÉÍÓÚÜÑ")
	c.looks("till")
	c.saves()
	assert.Equal(t, "Caja 2", c.tab.Text("#till"))

	c.reload()
	c.online()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#till").innerText === "Caja 2"`) // it is kept
	ticket := c.sells("11")
	job := c.awaitPrinted(1)
	c.fed(job, pulse)
	assert.Equal(t, c.receipt(ticket, "escpos-80"), job[len(pulse):])
	c.tab.Click("#outcome button")
	assert.Contains(t, c.fed(c.awaitPrinted(2), "").Text, "COPIA", "a copy opens no drawer")
	c.keys(kb.F2, "12", "2", kb.Enter)
	c.asksPayments()
	c.tab.Fill("#panel [name=card]", "2")
	c.keys(kb.Enter)
	c.sold()
	c.fed(c.awaitPrinted(3), "")
	c.scans("ZZ2345ZZ6789")
	c.titled("ZZ2345ZZ6789")
	c.keys(kb.Enter)
	c.titled("Pagar ZZ2345ZZ6789")
	c.keys("12345", kb.Enter)
	c.says("PAGADO")
	assert.Equal(t, pulse+"\x1b@\n", string(c.awaitPrinted(4)))
	c.tab.Click("#panel-row [type=button]:not(.main)")
	assert.Equal(t, "\x1b@\n", string(c.awaitPrinted(5)), "another slip pays nothing")
	c.keys(kb.Escape)

	c.printerFails("off")
	c.keys("14", "2", kb.Enter, kb.F12)
	c.printerIs("la impresora falló")
	c.printerFails("")
	c.tab.Click("#printer")
	c.tab.Click("#panel [name=dots]")
	c.saves()
	c.printerIs("impresora lista")
	c.keys(kb.F2)
	ticket = c.sells("15")
	requireSamePicture(t, c.fed(c.awaitPrinted(6), pulse), c.receipt(ticket, "png-80"))
}

// A telephone prints by Bluetooth in parts of 100 bytes over one connection, with answers or without; a printer that fails loses it, and a page that is loaded
// anew has to be told of the printer again.
func counterPrintsByBluetooth(c *counter) {
	t := c.t
	c.printsOn(bluetoothPrinter)
	c.open()
	c.tab.Narrow()
	c.printerIs("imprime el navegador")
	choose := func() {
		c.tab.Click(".top .opens")
		c.tab.Click("#printer")
		c.tab.Click("#panel .choice button")
		c.printerIs("impresora lista")
	}
	choose()
	assert.Equal(t, "Bluetooth", c.tab.Text(`#panel [aria-pressed="true"]`))
	c.audit()
	c.saves()
	assert.Equal(t, 1, browser.Value[int](c.tab, `printer.asked.length`))
	for i, number := range []string{"20", "21", "22"} {
		browser.Value[bool](c.tab, `printer.answers = `+[]string{"true", "false", "true"}[i]+`; true`)
		assert.Equal(t, c.receipt(c.sells(number), "escpos"), c.awaitPrinted(i+1))
	}
	assert.Equal(t, 1, browser.Value[int](c.tab, `printer.connections`))
	c.keys(kb.Enter)
	c.printFailing("pulled", true)
	assert.Equal(t, 2, browser.Value[int](c.tab, `printer.connections`))
	for _, job := range slices.Delete(c.printed(), 3, 4) {
		c.fed(job, "")
	}

	c.reload()
	c.online()
	c.printerIs("falta la impresora")
	c.keys("24", "2", kb.Enter, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").innerText.includes("no se imprimió")`)
	choose()
	c.saves()
	browser.Value[bool](c.tab, `document.querySelector("#outcome button").click() ?? true`)
	assert.NotContains(t, c.fed(c.awaitPrinted(1), "").Text, "COPIA")
}

// The head has seconds, what was sold since the last close, and the quota in amber once 80 % of it are used, on a telephone, too.
func counterHasAHead(c *counter) {
	t := c.t
	c.tab.Before(`{
		const plain = fetch
		window.left = "20.01"
		window.fetch = async (address, options) => {
			if (String(address).includes("/daily-closes?status=open")) return new Response(JSON.stringify({data: [{id: "today", sales: "1234.50", expected_cash: "1.00"}]}))
			if (String(address).endsWith("/daily-closes/today/handovers")) return new Response(JSON.stringify({data: []}))
			const answer = await plain(address, options)
			if (!String(address).includes("/sales/quota")) return answer
			const {data} = await answer.json()
			return new Response(JSON.stringify({data: {...data, available: window.left, credit_limit: "100.00"}}), {headers: answer.headers})
		}
	}`)
	c.open()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#since").innerText === "1.234,50"`)
	assert.Regexp(t, `^\d{1,2}:\d\d:\d\d [ap]m$`, c.tab.Text("#clock"))
	low := `document.querySelector("#quota").classList.contains("low")`
	assert.False(t, browser.Value[bool](c.tab, low))
	browser.Value[bool](c.tab, `window.left = "20.00"; true`)
	c.sells("23")
	c.tab.UntilWithin(testkit.WaitTimeout, low)
	c.looks("head")
	c.tab.Narrow()
	assert.True(t, browser.Value[bool](c.tab, `document.querySelector("#quota").getClientRects().length > 0`))
}
