package test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
	"banca/internal/setup/seed"
)

const (
	posAhead   = 20 * time.Minute // until the draw of the typed ticket stops; the test is shorter
	posTakes   = 3 * time.Minute  // from the plan of a draw until the test stops it, at most
	posMorning = 10 * time.Second // from midnight until a walk that waits for the next day begins
)

// clockScript lets a test move the clock of the page: movedBy is in milliseconds.
const clockScript = `{
	const real = Date.now
	window.movedBy = 0
	Date.now = () => real() + window.movedBy
}`

// A draw stops while its ticket is typed, and a prize is paid by scans, on a platform with short draws of its own.
func TestPointOfSaleAndDraws(t *testing.T) {
	t.Parallel()
	target.Only(t, target.Long)
	browser.Need(t)
	w := &drawWalk{platform: newPlatform(t)}
	w.env = []string{"RATE_LIMIT_PANEL_REQUESTS=100000"}
	w.start()
	w.admin, w.cashier = w.login(panelUser), w.login(cashier)
	w.other = w.secondAdmin()
	w.ws = w.listen()
	defer func() { _ = w.ws.CloseNow() }()
	c := &counter{panel: &panel{platform: w.platform, tab: browser.Open(t)}, at: w.addr}
	c.tab.Before(clockScript)
	c.tab.Before(noNewsScript)
	w.stopsWhileTyping(c)
	w.movesOn(c)
	w.paysByScan(c)
	c.tab.Visit("about:blank")
	require.NoError(t, w.interrupt())
}

// noNewsScript keeps from the page what changes draws, beside what it asks for after a sale.
const noNewsScript = `{
	const rounds = setInterval
	window.setInterval = (work, pause) => pause >= 60000 ? 0 : rounds(work, pause)
	window.EventSource = undefined
}`

// stopsWhileTyping has the countdown of the page end in the middle of a number, on a day without a further draw of the game: the number is not added,
// neither to that draw nor to another one. Then a draw stops earlier than the page knows: the server refuses its line, which is marked.
func (w *drawWalk) stopsWhileTyping(c *counter) {
	t := w.t
	w.game = w.newGame("pos-uno")
	draw := w.planAt("P1", w.today())
	c.open()
	c.chooseInDialog(draw)
	c.chooseOnly(draw)
	c.keys("02", "3", kb.Enter)
	require.Equal(t, 1, c.count("#lines .row"), c.tab.Text("#said"))
	hour := c.clockOf(draw)

	c.keys("01")
	c.endsIn(draw)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#said").innerText.includes("terminó por hoy")`)
	c.keys("4", kb.Enter)
	assert.Equal(t, 1, c.count("#lines .row"), "nothing is added to a draw that has stopped, or to another one")
	assert.Equal(t, "01", browser.Value[string](c.tab, `document.querySelector("#number").value`), "what is typed stays")
	assert.Zero(t, c.count(`#draws [aria-pressed="true"]`))
	assert.Equal(t, 1, c.count("#lines .row.closed"), "its line is struck at once")
	browser.Value[bool](c.tab, `window.movedBy = 0; true`)
	c.keys(kb.Escape, kb.Escape)
	c.tab.Until(`document.querySelectorAll("#lines .row.closed").length === 0`)

	stopped := time.Now().Add(time.Second).UTC().Truncate(time.Millisecond)
	w.planAt("P1", stopped)
	w.requireClosedAt(draw, stopped)
	c.tab.Expect("422 POST")
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `[...document.querySelectorAll("#lines .row.no .why")].map(e => e.innerText.includes("cerr")).join() === "true"`)
	c.shot("draw-closed")
	said := c.tab.Text("#closed") + c.tab.Text("#outcome")
	assert.Contains(t, said, "Paseo pos-uno "+hour+" cerró", "a draw is named by its hour")
	assert.NotContains(t, said, "sorteo P1")
	assert.Empty(t, soldKeys(c.journal()))
	c.keys(kb.Delete)
	assert.Zero(t, c.count("#lines .row"), "Supr takes the marked line off")
}

// today is a time on the present day, for a draw that stops earlier on the same day. In the last minutes of a day it waits for the next one.
func (w *drawWalk) today() time.Time {
	w.t.Helper()
	zone, err := time.LoadLocation(walkZone)
	require.NoError(w.t, err)
	now := time.Now().In(zone)
	midnight := time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, zone)
	if left := midnight.Sub(now); left < posTakes {
		time.Sleep(left + posMorning)
		return time.Now().Add(posAhead).UTC().Truncate(time.Millisecond)
	}
	ahead := now.Add(posAhead)
	if ahead.After(midnight) {
		ahead = midnight.Add(-time.Second)
	}
	return ahead.UTC().Truncate(time.Millisecond)
}

// endsIn moves the clock of the page to a moment before the stop of a draw that it shows.
func (c *counter) endsIn(draw string) {
	c.t.Helper()
	left := browser.Value[float64](c.tab, `Math.max(...Array.from(document.querySelectorAll('#draws [data-draw="`+draw+`"] [data-stop]'), e => Date.parse(e.dataset.stop))) - Date.now()`)
	require.Positive(c.t, left, "the page still offers the draw")
	browser.Value[bool](c.tab, `window.movedBy += `+strconv.Itoa(int(left)-1500)+`; true`)
}

// clockOf is the hour of a draw as the page writes it.
func (c *counter) clockOf(draw string) string {
	c.t.Helper()
	at, _ := c.get("/draws/"+draw, c.login(cashier)).data()["draw_time"].(string)
	return browser.Value[string](c.tab, `import("/admin/static/pos-format.js").then(format => format.clock("`+at+`"))`)
}

// movesOn has draws of a game close while a ticket is typed: the next hour of the same game is chosen, which is said and asked about, and lines of the
// closed draw are struck and moved by one key. After the last one nothing is chosen.
func (w *drawWalk) movesOn(c *counter) {
	t := w.t
	w.game = w.newGame("pos-horas")
	draws := w.planHours()
	c.tab.Visit("http://" + c.at + "/vender")
	c.online()
	c.chooseInDialog(draws[0])
	c.chooseOnly(draws[0])
	c.keys("02", "3", kb.Enter)
	require.Equal(t, 1, c.count("#lines .row"), c.tab.Text("#said"))
	c.endsIn(draws[0])
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#moved").hidden`)
	c.shot("moved")
	assert.Equal(t, []string{draws[1]}, c.chosenDraws(), "the next hour of the same game")
	assert.Contains(t, c.tab.Text("#moved"), "Paseo pos-horas "+c.clockOf(draws[0])+" cerró. Ahora: Paseo pos-horas "+c.clockOf(draws[1]))
	assert.Equal(t, 1, c.count("#lines .row.closed"))
	assert.Equal(t, "0,00", c.tab.Text("#total"))
	const asked = "1 Uno por 4,00, ahora en Paseo pos-horas "
	c.keys("01", kb.Enter, "4", kb.Enter)
	assert.Equal(t, 1, c.count("#lines .row"), "one Enter more is asked for")
	assert.Contains(t, c.tab.Text("#said.ask"), asked+c.clockOf(draws[1]))
	c.keys("03", kb.Enter, "5", kb.Enter, kb.F12) // without a look at the page
	assert.Contains(t, c.tab.Text("#said.bad"), "No se agregó")
	assert.Equal(t, 1, c.count("#lines .row"), "neither the line nor the next one")
	c.keys(kb.Escape, kb.Escape, "01", kb.Enter, kb.Enter)
	assert.Equal(t, 1, c.count("#lines .row"), "the last amount, and the draw: an Enter for each")
	c.keys(kb.Escape, kb.Escape, "01", "4", kb.Enter)
	assert.Contains(t, c.tab.Text("#said.ask"), asked+c.clockOf(draws[1]))
	c.keys(kb.Enter)
	require.Equal(t, 2, c.count("#lines .row"))
	c.keys("03", "5", kb.Enter)
	assert.Equal(t, 3, c.count("#lines .row"), "it is asked for once")
	c.keys(kb.F12)
	assert.Contains(t, c.tab.Text("#outcome"), "cerró")
	assert.Empty(t, soldKeys(c.journal()))
	c.keys(kb.Enter)
	assert.Zero(t, c.count("#lines .row.closed"))
	assert.Equal(t, "12,00", c.tab.Text("#total"))
	c.keys(kb.F12)
	assert.Equal(t, map[string]string{draws[1] + " 2": "3.00", draws[1] + " 1": "4.00", draws[1] + " 3": "5.00"}, linesOf(c.ticket(c.sold())))

	c.keys("+") // another game, too
	c.chooseOnly(draws[2])
	c.endsIn(draws[2])
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#moved").innerText.includes("Paseo pos-horas terminó por hoy")`)
	assert.Empty(t, c.chosenDraws())
	c.keys("03", "5", kb.Enter)
	assert.Zero(t, c.count("#lines .row"))
	c.keys(kb.Escape, kb.Escape)
	browser.Value[bool](c.tab, `window.movedBy = 0; true`)
	w.logsInAfterTheLastDraw(c)
}

// logsInAfterTheLastDraw has the session end while no draw is chosen because the game is over: for the cashier who logs in again it stays so, and only
// another cashier begins with the first draw.
func (w *drawWalk) logsInAfterTheLastDraw(c *counter) {
	t := w.t
	c.logsInOver(cashier, seed.Password)
	assert.Contains(t, c.tab.Text("#moved"), "Paseo pos-horas terminó por hoy")
	assert.Empty(t, c.chosenDraws())
	c.keys("03", "5", kb.Enter)
	assert.Zero(t, c.count("#lines .row"), "nothing is sold on a draw that was not chosen")
	c.keys(kb.Escape, kb.Escape)
	made := w.post("/users", w.admin, map[string]any{
		"entity_id": seed.ID("entity", seed.CodeTicketPoint).String(), "name": "Segunda Caja", "email": nextCashier, "role": "TAQUILLA", "auth_method": "password", "password": secondKey,
	}, "")
	require.Equal(t, http.StatusCreated, made.status, string(made.raw))
	c.logsInOver(nextCashier, secondKey)
	assert.Len(t, c.chosenDraws(), 1)
	assert.False(t, browser.Value[bool](c.tab, `!document.querySelector("#moved").hidden`))
}

// logsInOver ends the session and logs in over the page.
func (c *counter) logsInOver(email, password string) {
	c.t.Helper()
	c.tab.Allow("401 ")
	c.endSession()
	browser.Value[bool](c.tab, `dispatchEvent(new Event("online"))`)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=password]") !== null`)
	c.enterOver(email, password)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	c.online()
}

// chosenDraws are the ids of the draws that the page shows as chosen.
func (c *counter) chosenDraws() []string {
	c.t.Helper()
	return browser.Value[[]string](c.tab, `Array.from(document.querySelectorAll('#draws .draw[aria-pressed="true"]'), chip => chip.dataset.draw)`)
}

// planHours plans three draws of the game, a minute apart on one day.
func (w *drawWalk) planHours() []string {
	w.t.Helper()
	zone, err := time.LoadLocation(walkZone)
	require.NoError(w.t, err)
	first := time.Now().Add(posAhead).UTC().Truncate(time.Millisecond)
	if later := first.Add(2 * time.Minute); later.In(zone).Day() != first.In(zone).Day() {
		first = later
	}
	planned := make([]map[string]any, 3)
	for i := range planned {
		planned[i] = map[string]any{"draw_number": "H" + strconv.Itoa(i), "draw_time": first.Add(time.Duration(i) * time.Minute)}
	}
	day := first.In(zone).Format(time.DateOnly)
	made := w.post("/games/"+w.game+"/draws/bulk", w.admin, map[string]any{"from": day, "to": day, "draws": planned}, "")
	require.Equal(w.t, http.StatusOK, made.status, string(made.raw))
	ids := make([]string, len(planned))
	for _, draw := range w.get("/draws?game_id="+w.game, w.cashier).list() {
		number, _ := draw["draw_number"].(string)
		place, err := strconv.Atoi(number[1:])
		require.NoError(w.t, err)
		ids[place], _ = draw["id"].(string)
	}
	return ids
}

// chooseInDialog chooses a draw among all draws on sale: of many of an hour the page shows the next ones only.
func (c *counter) chooseInDialog(draw string) {
	c.t.Helper()
	c.keys(kb.F3)
	chip := `#panel [data-draw="` + draw + `"]`
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector('`+chip+`') !== null`)
	browser.Value[bool](c.tab, `document.querySelector('`+chip+`[aria-pressed="false"]')?.click() ?? true`)
	c.tab.Click("#panel [type=submit]")
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
}

// chooseOnly chooses one draw by its chip.
func (c *counter) chooseOnly(draw string) {
	c.t.Helper()
	browser.Value[bool](c.tab, `document.querySelector('#draws [data-draw="`+draw+`"][aria-pressed="false"]')?.click() ?? true`)
	const others = `#draws .draw[aria-pressed="true"]`
	browser.Value[bool](c.tab, `(() => {
		for (let other; other = Array.from(document.querySelectorAll('`+others+`')).find(chip => chip.dataset.draw !== "`+draw+`");) other.click()
		return true
	})()`)
	require.Equal(c.t, 1, c.count(others))
}

// soldKeys are the keys of a journal that have sold.
func soldKeys(journal map[string]string) (keys []string) {
	for key, state := range journal {
		if state != "refused " {
			keys = append(keys, key)
		}
	}
	return keys
}

// paysByScan pays a prize with a scanner. Wrong codes are refused, each in one line, until the server refuses all codes for the ticket; another ticket is
// paid once, however often the keys come.
func (w *drawWalk) paysByScan(c *counter) {
	t := w.t
	w.game = w.newGame("pos-dos")
	draw, stop := w.plan("P2")
	guessed, paid := w.winner(draw), w.winner(draw)
	w.requireClosedAt(draw, stop)
	verified := w.post("/results/"+w.enter(draw, "1")+"/verify", w.other, map[string]any{"value": "1"}, "")
	require.Equal(t, http.StatusOK, verified.status, string(verified.raw))
	for _, one := range []wonTicket{guessed, paid} {
		require.Eventually(t, func() bool { return w.get(one.path, w.cashier).data()["status"] == "won" }, testkit.WaitTimeout, 50*time.Millisecond)
	}
	c.guesses(guessed)
	assert.Equal(t, "won", w.get(guessed.path, w.cashier).data()["status"], "nothing is lost")

	before := w.balance(w.cashier)
	c.scansTwice(paid.serial)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=code]") !== null`)
	assert.Contains(t, c.tab.Text("#panel-body"), "37,50")
	c.tab.Press(paid.serial + kb.Enter) // and once more, into the field of the code
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").innerText.includes("solo números") && document.querySelector("#panel [name=code]").value === ""`)
	c.tab.Press(paid.code + kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `(document.querySelector("#panel .large") || {innerText: ""}).innerText.startsWith("PAGADO")`)
	c.keys(kb.Escape)
	c.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	assert.Equal(t, "paid", w.get(paid.path, w.cashier).data()["status"])
	require.Eventually(t, func() bool { return w.balance(w.cashier) == before+37_50 }, testkit.WaitTimeout, 50*time.Millisecond, "the prize is booked once")

	c.scan(paid.serial+kb.Enter, paid.serial)
	assert.Contains(t, c.tab.Text("#panel-body"), "pagado")
	assert.Zero(t, c.count("#panel .main"), "a paid ticket is not paid again")
	c.keys(kb.Escape)
}

// wonTicket is a ticket with its validation code.
type wonTicket struct {
	walkTicket

	code string
}

// winner sells a ticket on the element that is drawn.
func (w *drawWalk) winner(draw string) wonTicket {
	w.t.Helper()
	sold := w.sellOn(draw, "1")
	require.Equal(w.t, http.StatusCreated, sold.status, string(sold.raw))
	text := func(key string) string {
		value, _ := sold.data()[key].(string)
		require.NotEmpty(w.t, value, key)
		return value
	}
	return wonTicket{walkTicket{id: text("id"), path: sold.header.Get("Location"), serial: text("serial_code")}, text("validation_code")}
}

// scan types as fast as a scanner does, and waits for the ticket.
func (c *counter) scan(keys, serial string) {
	c.t.Helper()
	c.tab.Press(keys)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-title").innerText === `+quote(serial))
}

// scansTwice reads a serial code with a scanner that reads twice, and leads to the field of the validation code. The second reading ends with Enter: where
// the ticket is shown by then, it leads there itself, and the button is disabled until it has.
func (c *counter) scansTwice(serial string) {
	c.t.Helper()
	c.tab.Press(serial + kb.Enter + serial + kb.Enter)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel[open] [name=code], #panel[open] .main:enabled") !== null`)
	if c.count("#panel [name=code]") == 0 {
		c.tab.Click("#panel .main")
	}
}

// guesses types wrong validation codes until the server takes none any more.
func (c *counter) guesses(one wonTicket) {
	t := c.t
	const attempts = 5 // of a user for a ticket, see docs/draws.md
	c.tab.Expect("403 POST")
	c.tab.Expect("429 POST")
	c.scan("http://"+c.at+"/t/"+one.serial+kb.Enter, one.serial)
	c.tab.Click("#panel .main")
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel [name=code]") !== null`)
	wrong := "111111"
	if one.code == wrong {
		wrong = "222222"
	}
	try := func(code string) string {
		browser.Value[bool](c.tab, `document.querySelector("#panel-said").textContent = ""; true`)
		c.tab.Fill("#panel [name=code]", code)
		c.tab.Press(kb.Enter)
		c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel-said").textContent !== "" && !document.querySelector("#panel [type=submit]").disabled`)
		said := c.tab.Text("#panel-said")
		assert.NotContains(t, said, "\n")
		assert.Equal(t, code, browser.Value[string](c.tab, `document.querySelector("#panel [name=code]").value`), "what was typed stays")
		return said
	}
	first := try(wrong)
	assert.Contains(t, first, "código")
	for left := attempts - 2; left >= 0; left-- {
		assert.Contains(t, try(wrong), "Intentos que quedan: "+strconv.Itoa(left))
	}
	locked := try(one.code)
	assert.NotEqual(t, first, locked, "the right code is refused, too")
	assert.Contains(t, locked, "Demasiados códigos")
	c.shot("locked")
	c.keys(kb.Escape)
}

// A limit that another seller uses up while a ticket is typed refuses the line, which is then sold with what is left.
func counterLosesARoom(c *counter) {
	t := c.t
	c.limit("36", "40.00")
	c.open()
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector('[data-code="36"]').title.includes("40,00")`)
	c.keys("36", "20", kb.Enter)
	require.Equal(t, 1, c.count("#lines .row"), c.tab.Text("#said"))
	draw := browser.Value[string](c.tab, `document.querySelector('#draws [aria-pressed="true"]').dataset.draw`)
	sold := c.post("/sales/tickets", c.login(cashier), map[string]any{
		"currency": "VES", "items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": "36", "amount": "33.00"}},
	}, uuid.NewString())
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	c.tab.Expect("433 POST")
	c.keys(kb.F12)
	c.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#lines .row.no").length === 1`)
	assert.Contains(t, c.tab.Text("#lines .row.no"), "quedan 7,00")
	c.keys(kb.Enter, kb.F12)
	assert.Equal(t, "7.00", c.ticket(c.sold())["total"])
}
