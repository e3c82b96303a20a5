package test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/printer"
)

// Kinds of printers, functions of testdata/pos_printer.js.
const (
	usbPrinter    = "usbPrinter"
	serialPrinter = "serialPrinter"
)

// printsOn puts a printer in the place of the browser's, for pages to come.
func (c *counter) printsOn(kind string) {
	c.t.Helper()
	script, err := os.ReadFile("testdata/pos_printer.js")
	require.NoError(c.t, err)
	c.tab.Before("{" + string(script) + kind + "()}")
}

// printed are the bytes of each job of the printer.
func (c *counter) printed() [][]byte {
	c.t.Helper()
	var jobs [][]byte
	for _, job := range browser.Value[[]string](c.tab, `printer.jobs`) {
		raw, err := base64.StdEncoding.DecodeString(job)
		require.NoError(c.t, err)
		jobs = append(jobs, raw)
	}
	return jobs
}

// awaitPrinted waits for a number of jobs, and returns the last one.
func (c *counter) awaitPrinted(jobs int) []byte {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return browser.Value[int](c.tab, `printer.jobs.length`) >= jobs }, testkit.WaitTimeout, 20*time.Millisecond)
	all := c.printed()
	require.Len(c.t, all, jobs)
	return all[jobs-1]
}

// printerFails makes the next jobs fail: "off", "dead", "pulled", "stalled", "silent"; "" for a printer that works.
func (c *counter) printerFails(how string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `printer.fails = `+quote(how)+`; true`)
}

// receipt is a receipt of a ticket as the server makes it, in a format.
func (c *counter) receipt(ticket map[string]any, format string) []byte {
	c.t.Helper()
	id, _ := ticket["id"].(string)
	a := c.get("/sales/tickets/"+id+"/receipt?format="+format, c.login(cashier))
	require.Equal(c.t, http.StatusOK, a.status, string(a.raw))
	return a.raw
}

// requireSamePicture requires that a printer draws what the picture shows, dot by dot.
func requireSamePicture(t *testing.T, p *printer.Paper, picture []byte) {
	t.Helper()
	want, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	got := p.Picture()
	require.Equal(t, want.Bounds(), got.Bounds())
	differs := func(p image.Point) bool {
		gray, _ := color.GrayModel.Convert(want.At(p.X, p.Y)).(color.Gray)
		return (gray.Y < 128) != (got.GrayAt(p.X, p.Y).Y < 128)
	}
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			require.False(t, differs(image.Pt(x, y)), "x=%d y=%d", x, y)
		}
	}
}

// What the printer is sent is the receipt of the ticket, from its initialisation to the cut; as dots it is the picture of the receipt.
func counterPrints(c *counter) {
	t := c.t
	c.printsOn(usbPrinter)
	c.open()
	c.keys("05,18", "20", kb.Enter, kb.F12)
	serial := c.sold()
	job := c.awaitPrinted(1)
	ticket := c.ticket(serial)
	assert.Equal(t, c.receipt(ticket, "escpos"), job)
	paper, err := printer.Feed(job)
	require.NoError(t, err)
	assert.Equal(t, printer.Initialize, paper.Commands[0])
	assert.Equal(t, printer.Cut, paper.Commands[len(paper.Commands)-1])
	for _, part := range []string{serial, "40,00", " 5 LEÓN", "18 BURR"} {
		assert.Contains(t, paper.Text, part)
	}
	assert.NotContains(t, paper.Text, "COPIA")
	assert.Contains(t, paper.QR, serial)

	dots, err := printer.Feed(c.receipt(ticket, "escpos-raster"))
	require.NoError(t, err)
	assert.Equal(t, []string{printer.Initialize, printer.Raster}, dots.Commands[:2])
	assert.Equal(t, printer.Cut, dots.Commands[len(dots.Commands)-1])
	requireSamePicture(t, dots, c.receipt(ticket, "png1"))
}

// A printer that fails changes nothing of the sale: the page says so, and prints again. Where a part may be on paper, the next one is a copy.
func counterPrinterFails(c *counter) {
	c.printsOn(usbPrinter)
	c.open()
	c.printFailing("off", false)
	c.printFailing("pulled", true)
	c.printFailing("stalled", true)
	c.printFailing("silent", true)
}

// A serial printer fails in the same way.
func counterSerialPrinterFails(c *counter) {
	c.printsOn(serialPrinter)
	c.open()
	c.printFailing("off", false)
	c.printFailing("dead", false)
	c.printFailing("pulled", true)
}

// printFailing sells while the printer fails, and prints again.
func (c *counter) printFailing(how string, part bool) {
	t := c.t
	before, sold := len(c.printed()), len(c.journal())
	c.printerFails(how)
	c.keys(fmt.Sprintf("%02d", 10+sold), "2", kb.Enter, kb.F12) // another ticket each time
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").innerText.includes("no se imprimió")`)
	serial := c.last()
	require.Len(t, serial, 12)
	require.Equal(t, "2.00", c.ticket(serial)["total"], "the page shows its own tickets first, however much others sell")
	if part {
		before++
	}
	require.Len(t, c.printed(), before, how)
	c.printerFails("")
	browser.Value[bool](c.tab, `document.querySelector("#outcome button").click() ?? true`)
	paper, err := printer.Feed(c.awaitPrinted(before + 1))
	require.NoError(t, err)
	assert.Contains(t, paper.Text, serial)
	assert.Equal(t, part, strings.Contains(paper.Text, "COPIA"), how)
	assert.Len(t, c.journal(), sold+1, "printing again sells nothing")
	if part {
		c.requireReprintLogged(serial)
	}
	c.keys(kb.F2)
}

// last is the serial code of the last ticket that the page shows, which is drawn anew meanwhile.
func (c *counter) last() string {
	c.t.Helper()
	return browser.Value[string](c.tab, `document.querySelector("#last a")?.innerText ?? ""`)
}

// requireReprintLogged waits until the activity log has the reprint of a ticket.
func (c *counter) requireReprintLogged(serial string) {
	c.t.Helper()
	id, _ := c.ticket(serial)["id"].(string)
	admin := c.login(panelUser)
	require.Eventually(c.t, func() bool {
		return strings.Contains(string(c.get("/auth/logs?module=tickets&action=reprint&page_size=50", admin).raw), id)
	}, testkit.WaitTimeout, 200*time.Millisecond)
}

// A second sale while the printer is busy waits for it: both receipts are printed whole, in their order. A reprint is a copy.
func counterPrintsInTurn(c *counter) {
	t := c.t
	c.printsOn(serialPrinter)
	c.open()
	browser.Value[bool](c.tab, `printer.takes = 1000; true`)
	c.keys("07", "1", kb.Enter, kb.F12)
	first := c.sold()
	c.keys("08", "1", kb.Enter, kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").className === "outcome ok" && !document.querySelector("#outcome span").innerText.includes(`+quote(first)+`)`)
	second := c.sold()
	c.awaitPrinted(2)
	browser.Value[bool](c.tab, `printer.takes = 0; document.querySelector("#outcome button").click(); true`)
	c.awaitPrinted(3)
	for i, job := range c.printed() {
		paper, err := printer.Feed(job)
		require.NoError(t, err)
		assert.Contains(t, paper.Text, []string{first, second, second}[i])
		assert.Equal(t, i == 2, strings.Contains(paper.Text, "COPIA"), "job %d", i)
		assert.Equal(t, printer.Cut, paper.Commands[len(paper.Commands)-1])
	}
	c.requireReprintLogged(second)
}
