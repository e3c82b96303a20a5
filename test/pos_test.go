package test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
	"banca/internal/setup/seed"
)

const cashier = "taquilla@banca.test"

// counterShortly are the subtests of the point of sale that `make test` runs.
var counterShortly = []string{"sale by keys", "limit", "no line"} //nolint:gochecknoglobals // constant

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
		"room": counterLosesARoom, "200 lines": counterTypesALongTicket, "printer": counterPrints, "printer fails": counterPrinterFails, "serial printer fails": counterSerialPrinterFails, "printer in turn": counterPrintsInTurn,
		"first sale": counterIsGuided, "news": counterHearsNews, "refused late": counterIsRefusedLate,
		"other habits": counterTypesAsElsewhere, "received": counterKeepsTheFocus, "no line": counterWithoutALine, "given up": counterGivesUp, "set aside": counterSetsAside,
		"other currencies": counterShowsOtherCurrencies, "currency": counterSellsInAnotherCurrency, "currency late": counterChangesItsCurrencyLate, "currency fails": counterFailsToChangeItsCurrency,
		"currency and sale": counterSellsWhileItsCurrencyChanges, "currency and draft": counterTakesUpAfterAChange, "results": counterShowsResults, "operator": counterOfTheOperator,
		"late close": counterTypesOnAfterADialog, "list": counterPastesAList, "list in part": counterRefusesAPartOfAList, "typed list": counterTypesAList, "names": counterTypesNames,
		"twin": counterAsksAboutATwin, "amount": counterForgetsTheAmount, "random": counterChoosesAtRandom, "unsold": counterShowsUnsoldNumbers, "combined": counterCombines, "collect": counterSaysWhatToCollect,
		"table": counterChoosesInTheTable, "spread": counterSpreadsItsLines, "keys": counterCountsItsKeys,
		"customer again": counterRepeatsForACustomer, "repeated with changes": counterRepeatsWithChanges,
		"prizes": counterPaysAQueue, "large amounts": counterAsksAboutLargeAmounts, "words": counterWritesNumbersInWords, "means": counterTakesOtherMeans, "means of a part": counterTakesMeansForAPart,
		"till": counterHasATill, "bluetooth": counterPrintsByBluetooth, "camera": counterReadsByCamera, "person": counterChangesThePerson, "head": counterHasAHead, "looks": counterLooksWell,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target.Shorten(t, counterShortly)
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
	c.openAs(cashier, seed.Password)
}

// openAs is open as another user.
func (c *counter) openAs(user, password string) {
	c.t.Helper()
	c.tab.Till()
	c.tab.Allow("ERR_INCOMPLETE_CHUNKED_ENCODING  GET http://" + c.at + "/vender/news") // a stream that a slow machine cuts is opened again
	c.tab.Visit("http://" + c.at + "/admin/login?lang=es&next=/vender")
	c.tab.Fill("#identifier", user)
	c.tab.Fill("#password", password)
	c.tab.Follow("main form button")
	require.Equal(c.t, "/vender", c.where())
	c.online()
	c.choosesWithTime()
}

// timeToType is what a subtest may take until it has sold, in milliseconds.
const timeToType = 10 * 60 * 1000

// choosesWithTime chooses the next draw of the game that stays open, where the chosen one would close, and the page ask about it, while a subtest types.
// It agrees where the page, which was opened just before a draw closed, has asked already.
func (c *counter) choosesWithTime() {
	c.t.Helper()
	later := browser.Value[string](c.tab, `import("/admin/static/pos-desk.js").then(({desk}) => {
		const open = draw => draw.stop - Date.now() > `+strconv.Itoa(timeToType)+`
		const chosen = Array.from(document.querySelectorAll('#draws .draw[aria-pressed="true"]'), chip => desk.draws.get(chip.dataset.draw)).find(draw => !open(draw))
		const later = chosen && desk.catalogue.draws.find(draw => draw.game_id === chosen.game_id && open(draw))
		return later ? later.id : ""
	})`)
	if later != "" {
		c.chooseInDialog(later)
		c.chooseOnly(later)
	}
	if browser.Value[bool](c.tab, `!document.querySelector("#moved").hidden`) {
		c.keys(kb.Enter)
	}
}

// online waits until the counter has what it needs from the server.
func (c *counter) online() {
	c.t.Helper()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#draws .draw").length > 0 && document.querySelector("#line").classList.contains("ok") && document.querySelector("#quota").innerText !== "–"`)
}

// endSession ends the session and the token of the page.
func (c *counter) endSession() {
	c.t.Helper()
	c.tab.Without("banca_session")
	browser.Value[bool](c.tab, `import("/admin/static/pos-api.js").then(api => api.leave()).then(() => true)`)
}

// enterOver logs in over the page whose session has ended.
func (c *counter) enterOver(email, password string) {
	c.t.Helper()
	c.tab.Fill("#panel [name=identifier]", email)
	c.tab.Fill("#panel [name=password]", password)
	c.tab.Click("#panel [type=submit]")
}

// limit limits what is staked on an element of a draw, of the operator and in VES.
func (c *counter) limit(element, base string) {
	c.t.Helper()
	made := c.post("/risk/limits", c.login(panelUser), map[string]any{"currency": "VES", "metric": "stake", "element": element, "base": base}, "")
	require.Equal(c.t, http.StatusCreated, made.status, string(made.raw))
}

// shot saves a picture of a state that `make pictures` does not reach, where BANCA_SHOTS names a directory.
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
		if text == kb.Enter { // as a person who has read what the last one has shown
			c.tab.UntilWithin(testkit.WaitTimeout, `document.documentElement.dataset.held === undefined`)
		}
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

// journalEntry is the outcome of a sale as the page has stored it. Total is what was asked for, in minor units.
type journalEntry struct {
	Key, State, Serial, ID string
	Total                  int64
}

// entries are the outcomes that the page has stored.
func (c *counter) entries() []journalEntry {
	c.t.Helper()
	return browser.Value[[]journalEntry](c.tab, `new Promise(done => {
		const request = indexedDB.open("pos", 1)
		request.onsuccess = () => request.result.transaction("journal").objectStore("journal").getAll().onsuccess = e => {
			request.result.close()
			done(e.target.result.map(({key, state, serial, id, total}) => ({key, state, serial, id, total})))
		}
	})`)
}

// journal are the stored outcomes by their keys: "sold <serial>" or "refused ".
func (c *counter) journal() map[string]string {
	c.t.Helper()
	found := map[string]string{}
	for _, entry := range c.entries() {
		found[entry.Key] = entry.State + " " + entry.Serial
	}
	return found
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
