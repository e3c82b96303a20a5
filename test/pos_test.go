package test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/seed"
	"banca/internal/testkit"
	"banca/internal/testkit/browser"
)

const cashier = "taquilla@banca.test"

// The point of sale in a real browser, on one platform for all subtests: each checks its own tickets.
func TestThePointOfSaleInABrowser(t *testing.T) {
	t.Parallel()
	browser.Need(t)
	p := newPlatform(t)
	p.env = []string{"RATE_LIMIT_PANEL_REQUESTS=100000"}
	p.start()
	t.Cleanup(func() { require.NoError(t, p.interrupt()) })
	for name, test := range map[string]func(*counter){
		"sale by keys": counterSells, "every cut": counterIsCut, "crash": counterCrashes, "two windows": counterTwice, "limit": counterIsRefused,
		"session": counterLogsInAgain, "hurry": counterInAHurry, "numbers": counterSellsNumbers, "phone": counterOnAPhone, "ticket": counterOpensTickets, "close": counterCloses,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &counter{panel: &panel{platform: p.in(t), tab: browser.Open(t)}, at: p.addr}
			test(c)
			c.tab.Visit("about:blank") // what is still being asked for ends here, before the proxy of a test does
		})
	}
}

// counter is the point of sale in a tab.
type counter struct {
	*panel

	at string // address of the server, or of a proxy before it
}

// open logs in as the cashier of a ticket point, in Spanish, and waits until something can be sold.
func (c *counter) open() {
	c.t.Helper()
	c.tab.Screen()
	c.tab.Visit("http://" + c.at + "/admin/login?lang=es&next=/vender")
	c.tab.Fill("#identifier", cashier)
	c.tab.Fill("#password", seed.Password)
	c.tab.Follow("main form button")
	require.Equal(c.t, "/vender", c.where())
	c.online()
}

// online waits until the counter has what it needs from the server.
func (c *counter) online() {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#draws .draw").length > 0 && document.querySelector("#line").classList.contains("ok") && document.querySelector("#quota").innerText !== "–"`)
}

// shot saves a picture of the page where BANCA_SHOTS names a directory.
func (c *counter) shot(name string) {
	if dir := os.Getenv("BANCA_SHOTS"); dir != "" {
		c.tab.Save(filepath.Join(dir, name+".png"))
	}
}

// keys presses keys one after the other, and returns how many.
func (c *counter) keys(keys ...string) int {
	c.t.Helper()
	pressed := 0
	for _, text := range keys {
		for _, key := range text {
			c.tab.Press(string(key))
			pressed++
		}
	}
	return pressed
}

// sold waits for the outcome of a sale and returns the serial code of its ticket.
func (c *counter) sold() string {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#outcome").className === "outcome ok" && document.querySelectorAll("#pending *").length === 0`)
	serial, _, _ := strings.Cut(c.tab.Text("#outcome span"), " ")
	require.Len(c.t, serial, 12)
	return serial
}

// ticket reads a sold ticket by its serial code: there is one.
func (c *counter) ticket(serial string) map[string]any {
	c.t.Helper()
	found := c.get("/sales/tickets?serial_code="+serial, c.login(cashier))
	require.Equal(c.t, http.StatusOK, found.status)
	require.Len(c.t, found.list(), 1)
	return found.list()[0]
}

// journal are the sales that the browser has recorded, by their keys: "sold <serial>" or "refused ".
func (c *counter) journal() map[string]string {
	c.t.Helper()
	list := browser.Value[[]string](c.tab, `new Promise(done => {
		const request = indexedDB.open("pos", 1)
		request.onsuccess = () => request.result.transaction("journal").objectStore("journal").getAll().onsuccess = e => {
			request.result.close()
			done(e.target.result.map(entry => [entry.key, entry.state, entry.serial ?? ""].join(" ")))
		}
	})`)
	found := map[string]string{}
	for _, entry := range list {
		key, state, _ := strings.Cut(entry, " ")
		found[key] = state
	}
	return found
}

// Three animals on two draws take at most 15 keys and no mouse.
func counterSells(c *counter) {
	t := c.t
	c.open()
	pressed := c.keys("+", "05,18,22", "20", kb.Enter)
	require.Equal(t, 6, c.count("#lines .row"), c.tab.Text("#said"))
	c.shot("composed")
	pressed += c.keys(kb.F12)
	assert.LessOrEqual(t, pressed, 15)
	serial := c.sold()
	c.shot("sold")
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

// audit runs the accessibility engine.
func (c *counter) audit() {
	c.t.Helper()
	engine, err := os.ReadFile("../web/testdata/axe/axe.min.js")
	require.NoError(c.t, err)
	browser.Value[bool](c.tab, string(engine)+"; true")
	assert.Empty(c.t, browser.Value[[]string](c.tab, `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
		.then(found => found.violations.map(v => v.id + ": " + v.nodes[0].html.slice(0, 200) + " " + v.nodes[0].failureSummary.slice(0, 300)))`))
}

// A connection that is cut anywhere in the request or in the answer loses, doubles and hides no sale.
func counterIsCut(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	const points = 20
	var serials []string
	for i := range points {
		cuts.arm(i < points/2, i%(points/2))
		c.keys("05", "1", kb.Enter, kb.F12)
		serials = append(serials, c.sold())
		assert.True(t, cuts.done(), "cut %d", i)
		c.keys(kb.F2)
	}
	journal := c.journal()
	assert.Len(t, journal, points, "each sale has one key")
	seen := map[string]bool{}
	for _, serial := range serials {
		assert.False(t, seen[serial], "%s is one sale", serial)
		seen[serial] = true
		assert.Equal(t, "1.00", c.ticket(serial)["total"])
	}
	for key, state := range journal {
		assert.True(t, seen[strings.TrimPrefix(state, "sold ")], "%s %s", key, state)
	}
	assert.Equal(t, points, cuts.keys(), "no sale was sent under a second key")
}

// A browser that ends while it is sending finds the sale when it is opened again.
func counterCrashes(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	cuts.hold()
	c.keys("07", "3", kb.Enter, kb.F12)
	require.Eventually(t, cuts.done, testkit.WaitTimeout, 10*time.Millisecond, "the answer is on its way")
	c.tab.Visit("about:blank")
	cuts.release()
	c.tab.Visit("http://" + c.at + "/vender")
	serial := c.sold()
	assert.Contains(t, c.tab.Text("#outcome strong"), "pendiente")
	assert.Equal(t, "3.00", c.ticket(serial)["total"])
	assert.Equal(t, 1, cuts.keys())
	assert.Zero(t, c.count("#lines .row"), "it is not in the draft, too")
}

// Two windows of one browser have a draft each; the second one takes over what the first one leaves behind.
func counterTwice(c *counter) {
	t := c.t
	c.open()
	c.keys("09", "2", kb.Enter)
	second := &counter{panel: &panel{platform: c.platform, tab: c.tab.Another()}, at: c.at}
	second.tab.Screen()
	second.tab.Visit("http://" + c.at + "/vender")
	second.online()
	assert.Zero(t, second.count("#lines .row"), "the draft belongs to the first window")
	second.keys("10", "4", kb.Enter, kb.F12)
	assert.Equal(t, "4.00", c.ticket(second.sold())["total"])
	c.tab.Visit("about:blank")
	second.tab.Visit("http://" + c.at + "/vender")
	second.online()
	second.tab.Until(`document.querySelectorAll("#lines .row").length === 1`)
	second.keys(kb.F12)
	assert.Equal(t, "2.00", c.ticket(second.sold())["total"])
}

// A refusal marks the line and says how much is left. Enter lowers it.
func counterIsRefused(c *counter) {
	t := c.t
	c.open()
	made := c.post("/risk/limits", c.login("admin@banca.test"), map[string]any{"currency": "VES", "metric": "stake", "element": "31", "base": "4.00"}, "")
	require.Equal(t, http.StatusCreated, made.status)
	c.tab.Expect("433 POST")
	c.keys("30,31", "20", kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"), c.tab.Text("#said"))
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row.no").length === 1`)
	c.shot("refused")
	marked := c.tab.Text("#lines .row.no")
	assert.Contains(t, marked, "31")
	assert.Contains(t, marked, "quedan 4,00 (tope: operador)")
	c.keys(kb.Enter)
	assert.Zero(t, c.count("#lines .row.no"))
	assert.Equal(t, "24,00", c.tab.Text("#total"))
	c.keys(kb.F12)
	assert.Equal(t, "24.00", c.ticket(c.sold())["total"])

	c.tab.Until(`document.querySelector('[data-code="31"]').classList.contains("blocked")`)
	c.keys("31", "5")
	assert.Contains(t, c.tab.Text("#said"), "31 Lapa: quedan 0,00", "it is said while typing")
}

// A session that ends before the sale is sent keeps the ticket, which is sold after the login.
func counterLogsInAgain(c *counter) {
	t := c.t
	c.open()
	c.keys("11", "6", kb.Enter)
	c.tab.Expect("401 GET")
	c.tab.Without("banca_session")
	browser.Value[bool](c.tab, `import("/admin/static/pos-api.js").then(api => api.leave()).then(() => true)`) // the token has expired, too
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#line").classList.contains("bad")`)
	c.shot("ended")
	again := c.tab.Another()
	again.Visit("http://" + c.at + "/admin/login?lang=es&next=/vender")
	again.Fill("#identifier", cashier)
	again.Fill("#password", seed.Password)
	again.Follow("main form button")
	c.tab.Click("#panel [type=submit]")
	c.online()
	assert.Equal(t, 1, c.count("#lines .row"), "nothing was sent")
	c.keys(kb.F12)
	assert.Equal(t, "6.00", c.ticket(c.sold())["total"])
}

// What a hurried person types is said at once, and nothing is lost.
func counterInAHurry(c *counter) {
	t := c.t
	c.open()
	for typed, said := range map[string]string{
		"99": "«99» no está en este juego.", "x5": "«x5» no está en este juego.", "09-05,": "«09-05» no es una serie",
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
	c.tab.Click(`[data-code="15"]`)
	c.tab.Fill("#amount", "8")
	c.tab.Click("#entry button")
	require.Equal(t, 1, c.count("#lines .row"))
	assert.LessOrEqual(t, browser.Value[int](c.tab, `document.documentElement.scrollWidth`), 360)
	c.audit()
	c.tab.Click("#sell")
	assert.Equal(t, "8.00", c.ticket(c.sold())["total"])
	c.shot("phone")
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
	c.shot("ticket")
	c.keys(kb.Escape)
	assert.Equal(t, "4", browser.Value[string](c.tab, `document.querySelector("#amount").value`))
	assert.Equal(t, "17", browser.Value[string](c.tab, `document.querySelector("#number").value`))
	assert.Equal(t, "amount", browser.Value[string](c.tab, `document.activeElement.id`), "the cursor is where it was")
}

// The day is closed with the cash that was counted, and not while the outcome of a sale is open. A reprint is a copy, and logged.
func counterCloses(c *counter) {
	t := c.t
	cuts := newCuttingProxy(t, c.addr)
	c.at = cuts.addr
	c.tab.Allow("POST http://" + c.at + "/sales/tickets")
	c.open()
	cuts.hold()
	c.keys("20", "9", kb.Enter, kb.F12)
	require.Eventually(t, cuts.done, testkit.WaitTimeout, 10*time.Millisecond)
	c.keys(kb.F2, kb.F11)
	c.tab.Until(`document.querySelector("#outcome").innerText.includes("Hay un ticket pendiente")`)
	assert.False(t, browser.Value[bool](c.tab, `document.querySelector("#panel").open`))
	cuts.release()
	serial := c.sold()
	browser.Value[bool](c.tab, `document.querySelector('[data-do="reprint"]').click() ?? true`) // the list is drawn anew meanwhile
	id, _ := c.ticket(serial)["id"].(string)
	require.Eventually(t, func() bool {
		return strings.Contains(string(c.get("/auth/logs?module=tickets&action=reprint&page_size=50", c.login("admin@banca.test")).raw), id)
	}, testkit.WaitTimeout, 200*time.Millisecond)
	c.keys(kb.F11)
	c.tab.Until(`document.querySelector("#panel").open`)
	if c.count("[name=opening]") > 0 { // the platform opens a day of sales within a minute
		c.keys("100", kb.Enter)
	}
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector(".sums") !== null`)
	c.keys("3", kb.Enter)
	assert.True(t, browser.Value[bool](c.tab, `document.querySelector("#panel").open`), "Enter goes to the next field")
	assert.Contains(t, c.tab.Text(".sums"), "Contado 1.500,00")
	c.tab.Click("#panel [type=submit]")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	closed := c.get("/sales/daily-closes?status=closed", c.login(cashier)).list()
	require.NotEmpty(t, closed)
	assert.Equal(t, "1500.00", closed[0]["counted_cash"])
	assert.NotEqual(t, "0.00", closed[0]["variance"])
}
