package test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
)

const (
	habitsTickets = "BANCA_HABITS_TICKETS" // of `make habits`
	habitsShort   = 12                     // tickets of a run without the variable
	habitsSeed    = 20261126

	habitsElements = 36                      // amounts are numbers of the game, too
	habitsRound    = 8 * time.Second         // between two draws of its game
	habitsTicket   = 3 * time.Second         // that a ticket may take, for the number of draws
	habitsSlow     = 5 * time.Minute         // that a slow machine may take besides
	habitsQuick    = 250 * time.Millisecond  // between two presses; the page takes the second one for a slip
	habitsNear     = 1500 * time.Millisecond // before the stop of its draw the cashier waits for it
)

// stranger is a cashier who types as at other systems, mostly without a look at the page, and notes what each ticket is meant to be. The note knows
// nothing of the page but which draw was lit when the ticket was begun.
type stranger struct {
	*counter

	walk  *drawWalk
	rng   *rand.Rand
	draws []plannedDraw
	did   strangerDeeds

	draw   string            // on which the ticket is typed
	meant  map[string]string // stakes by "draw element"
	order  []string          // keys of meant, as they were typed
	amount string            // of the last line
	last   string            // serial code of the last sold ticket
	blind  bool              // the cashier does not look at questions
	late   bool              // the machine was slower than two quick presses
}

type plannedDraw struct {
	id   string
	stop time.Time
}

// strangerDeeds counts tickets: those that were sold, those about which the page had asked, and those that were given up.
type strangerDeeds struct{ Sold, Asked, BegunAgain, Moved, Scans, Received, Cut, Waited, Lines int }

// TestPointOfSaleHabits sells as a cashier of another system types. Each ticket is what was meant, also where the page has asked about it.
func TestPointOfSaleHabits(t *testing.T) {
	t.Parallel()
	target.Only(t, target.Long)
	browser.Need(t)
	tickets := habitsShort
	if text := os.Getenv(habitsTickets); text != "" {
		var err error
		tickets, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	w := &drawWalk{platform: newPlatform(t)}
	w.env = []string{"RATE_LIMIT_PANEL_REQUESTS=1000000", "RATE_LIMIT_REQUESTS=1000000"}
	w.start()
	w.admin, w.cashier = w.login(panelUser), w.login(cashier)
	w.secondAdmin() // who confirms the administrator's session
	s := &stranger{last: "nothing", counter: &counter{panel: &panel{platform: w.platform, tab: browser.Open(t)}, at: w.addr}, walk: w, rng: rand.New(rand.NewPCG(habitsSeed, 0))}
	s.plan(tickets)
	s.tab.Before(lineScript)
	s.tab.Before(questionsScript)
	s.tab.Allow("422 POST http://" + s.at + "/sales/tickets") // of a draw that stops on the way
	s.tab.Allow("433 POST http://" + s.at + "/sales/tickets")
	s.tab.Allow("404 ")
	s.open()
	begin := time.Now()
	for s.did.Sold < tickets && !t.Failed() {
		s.ticket()
	}
	t.Logf("%d tickets of a cashier of other habits in %s: %+v", s.did.Sold, time.Since(begin).Round(time.Second), s.did)
	s.tab.Visit("about:blank")
	require.NoError(t, w.interrupt())
}

// questionsScript notes what the page has said of draws that closed, and of its own accord: window.asked is emptied at the begin of a ticket. The question
// after a number without an amount, which the next digit answers, is none of these.
const questionsScript = `{
	window.asked = []
	const shown = () => ["#moved:not([hidden])", "#closed.wait", "#outcome.bad"].map(name => document.querySelector(name)?.innerText).filter(Boolean)
	addEventListener("DOMContentLoaded", () => new MutationObserver(() => { for (const text of shown()) if (!asked.includes(text)) asked.push(text) })
		.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true}))
}`

// plan makes a game whose draws stop one after the other for as long as the tickets take.
func (s *stranger) plan(tickets int) {
	t := s.t
	names := make([]string, habitsElements)
	for i := range names {
		names[i] = fmt.Sprintf("Animal %d", i+1)
	}
	s.walk.game = s.walk.newGameOf("pos-costumbres", names...)
	zone, err := time.LoadLocation(walkZone)
	require.NoError(t, err)
	first := time.Now().Add(2 * habitsRound).UTC().Truncate(time.Second)
	length := time.Duration(tickets)*habitsTicket + habitsSlow
	if end := first.Add(length); end.In(zone).Day() != first.In(zone).Day() { // the day ends: the next one begins
		first = end
	}
	planned := []map[string]any{}
	for at := first; at.Before(first.Add(length)); at = at.Add(habitsRound) {
		planned = append(planned, map[string]any{"draw_number": "C" + strconv.Itoa(len(planned)), "draw_time": at})
	}
	day := first.In(zone).Format(time.DateOnly)
	made := s.walk.post("/games/"+s.walk.game+"/draws/bulk", s.walk.admin, map[string]any{"from": day, "to": day, "draws": planned}, "")
	require.Equal(t, http.StatusOK, made.status, string(made.raw))
	for page := 1; len(s.draws) < len(planned); page++ {
		list := s.walk.get(fmt.Sprintf("/draws?game_id=%s&page_size=200&page=%d", s.walk.game, page), s.walk.cashier).list()
		require.NotEmpty(t, list)
		for _, draw := range list {
			id, _ := draw["id"].(string)
			at, _ := draw["draw_time"].(string)
			stop, err := time.Parse(time.RFC3339, at)
			require.NoError(t, err)
			s.draws = append(s.draws, plannedDraw{id: id, stop: stop})
		}
	}
	slices.SortFunc(s.draws, func(a, b plannedDraw) int { return a.stop.Compare(b.stop) })
}

func (s *stranger) chance(n int) bool { return s.rng.IntN(n) == 0 }

// lit is the draw that the page shows as chosen.
func (s *stranger) lit() string {
	chosen := s.chosenDraws()
	if len(chosen) != 1 || !slices.ContainsFunc(s.draws, func(d plannedDraw) bool { return d.id == chosen[0] }) {
		next := slices.IndexFunc(s.draws, func(d plannedDraw) bool { return time.Until(d.stop) > habitsRound/2 })
		require.GreaterOrEqual(s.t, next, 0, "the day is over")
		s.chooseInDialog(s.draws[next].id)
		s.chooseOnly(s.draws[next].id)
		return s.draws[next].id
	}
	return chosen[0]
}

// ticket types a ticket and sells it.
func (s *stranger) ticket() {
	s.draw, s.meant, s.order, s.blind = s.lit(), map[string]string{}, nil, !s.chance(3)
	s.amount, s.late = "", false // a repeated amount ends with its ticket
	browser.Value[bool](s.tab, `(window.asked = [], true)`)
	if s.chance(2) && browser.Value[bool](s.tab, `!document.querySelector("#moved").hidden`) {
		s.keys(kb.Enter, kb.Enter) // the outcome of the last ticket, and the draw that is lit
		s.draw = s.lit()           // the draw may have closed since the first look
	}
	for range 1 + s.rng.IntN(3) {
		s.line()
		if s.chance(8) && len(s.order) > 1 && !s.asks() { // the last one off again
			s.keys("-")
			delete(s.meant, s.order[len(s.order)-1])
			s.order = s.order[:len(s.order)-1]
		}
	}
	if s.late && len(browser.Value[[]string](s.tab, `asked`)) > 0 { // the second press may have answered a question
		s.beginsAgain()
		return
	}
	if s.chance(3) {
		s.waits()
	}
	s.sells()
}

// line types numbers and an amount by one of the habits.
func (s *stranger) line() {
	s.did.Lines++
	numbers := s.numbers()
	typed := strings.Join(two(numbers), ",")
	if len(numbers) == 3 { // a run
		typed = two(numbers)[0] + "-" + two(numbers)[2]
	}
	if s.chance(12) {
		s.scans()
	}
	s.keys(typed)
	if s.chance(12) {
		s.scans()
	}
	switch again := s.amount != "" && s.chance(5); {
	case again: // the amount of the last line
		pressed := time.Now()
		s.keys(kb.Enter, kb.Enter)
		s.late = s.late || time.Since(pressed) > habitsQuick
	case s.chance(4): // as the manual says
		s.amount = strconv.Itoa(1 + s.rng.IntN(habitsElements))
		s.keys(s.amount, kb.Enter)
	default:
		s.amount = strconv.Itoa(1 + s.rng.IntN(habitsElements))
		s.keys(kb.Enter, s.amount, kb.Enter)
	}
	for _, number := range numbers {
		line := fmt.Sprint(s.draw, " ", number)
		s.meant[line] = s.amount + ".00"
		s.order = append(s.order, line)
	}
	if !s.blind && s.asks() {
		s.answers(numbers)
	}
}

// numbers are one, two, or three in a row, none of which the ticket has.
func (s *stranger) numbers() []int {
	for {
		first, count := 1+s.rng.IntN(habitsElements-3), []int{1, 1, 1, 2, 3}[s.rng.IntN(5)]
		numbers := []int{first, first + 1, first + 2}[:count]
		if !slices.ContainsFunc(numbers, func(n int) bool {
			return slices.ContainsFunc(s.order, func(line string) bool { return strings.HasSuffix(line, fmt.Sprint(" ", n)) })
		}) {
			return numbers
		}
	}
}

func two(numbers []int) (texts []string) {
	for _, n := range numbers {
		texts = append(texts, fmt.Sprintf("%02d", n))
	}
	return texts
}

// scans has a scanner type an unknown receipt into the field that has the cursor.
func (s *stranger) scans() {
	s.did.Scans++
	s.tab.Press("ZZZZ9M2P4D6A" + kb.Enter)
	s.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-said").innerText !== "" || document.querySelector("#said.bad") !== null`)
	if !browser.Value[bool](s.tab, `document.querySelector("#panel").open`) { // the page takes nothing
		return
	}
	s.keys(kb.Escape)
	s.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
}

// asks reports whether the page asks about what is typed.
func (s *stranger) asks() bool { return s.count("#said.ask") > 0 }

// answers agrees to what the page asks: the line goes to the draw that is lit now, and so do the next ones.
func (s *stranger) answers(numbers []int) {
	s.keys(kb.Enter)
	lit := s.lit()
	for _, number := range numbers {
		s.moves(fmt.Sprint(s.draw, " ", number), lit)
	}
	s.draw = lit
}

// moves notes that a line is meant for another draw.
func (s *stranger) moves(line, draw string) {
	_, element, _ := strings.Cut(line, " ")
	to := draw + " " + element
	if to == line {
		return
	}
	s.meant[to] = s.meant[line]
	delete(s.meant, line)
	s.order[slices.Index(s.order, line)] = to
}

// waits lets the draw of the ticket close, if that is near.
func (s *stranger) waits() {
	i := slices.IndexFunc(s.draws, func(d plannedDraw) bool { return d.id == s.draw })
	if time.Until(s.draws[i].stop) > habitsNear {
		return
	}
	s.did.Waited++
	require.Eventually(s.t, func() bool { return time.Now().After(s.draws[i].stop) }, testkit.WaitTimeout, 10*time.Millisecond)
}

// sells presses F12, or Enter after the amount received, and looks at what the page says.
func (s *stranger) sells() {
	if s.chance(8) {
		s.did.Cut++
		s.breaks("answers")
	}
	if s.chance(2) {
		s.did.Received++
		s.tab.Click("#received")
		s.keys("500", []string{kb.Enter, kb.F12}[s.rng.IntN(2)])
	} else {
		s.keys(kb.F12)
	}
	const sold = `document.querySelector("#outcome").className === "outcome ok" && !document.querySelector("#outcome").innerText.includes("%s")`
	s.tab.UntilWithin(testkit.WaitTimeout, fmt.Sprintf(sold, s.last)+` || document.querySelector("#outcome").className === "outcome bad" || document.querySelector("#pending .wait") !== null
		|| document.querySelector("#number").value !== "" || document.querySelectorAll("#lines .row").length === 0 || document.querySelector("#outcome [data-do=asked]") !== null`)
	if s.count("#outcome [data-do=asked]") > 0 { // the same as a ticket of the last two minutes, which is meant
		s.keys(kb.Enter)
		s.tab.UntilWithin(testkit.WaitTimeout, fmt.Sprintf(sold, s.last)+` || document.querySelector("#outcome").className === "outcome bad" || document.querySelector("#pending .wait") !== null`)
	}
	s.breaks("")
	if s.count("#pending .wait") > 0 {
		s.tab.UntilWithin(testkit.WaitTimeout, `document.querySelectorAll("#pending *").length === 0`)
	}
	switch {
	case browser.Value[bool](s.tab, fmt.Sprintf(sold, s.last)):
		s.compares()
	case s.count("#closed.wait [data-do=move]") > 0 && browser.Value[bool](s.tab, `document.querySelector("#number").value === ""`):
		s.movesClosed()
	default: // the page has asked, or says what is wrong
		s.beginsAgain()
	}
}

// movesClosed agrees to the next draw for the lines whose draw has closed, as the page offers, and sells again.
func (s *stranger) movesClosed() {
	s.did.Moved++
	closed := browser.Value[int](s.tab, `document.querySelectorAll("#lines .row.closed").length`)
	next := slices.IndexFunc(s.draws, func(d plannedDraw) bool { return time.Until(d.stop) > 0 })
	if next < 0 || time.Until(s.draws[next].stop) < time.Second { // it closes itself
		s.beginsAgain()
		return
	}
	moved := 0
	for _, line := range slices.Clone(s.order) {
		draw, _, _ := strings.Cut(line, " ")
		if i := slices.IndexFunc(s.draws, func(d plannedDraw) bool { return d.id == draw }); time.Until(s.draws[i].stop) <= 0 {
			s.moves(line, s.draws[next].id)
			moved++
		}
	}
	if moved != closed { // blind: other lines are on the ticket than were meant
		s.beginsAgain()
		return
	}
	s.keys(kb.Enter)
	s.draw = s.draws[next].id
	s.sells()
}

// beginsAgain gives the ticket up.
func (s *stranger) beginsAgain() {
	s.did.BegunAgain++
	s.keys(kb.Escape, kb.Escape, kb.F2)
	s.amount = ""
}

// compares reads the sold ticket: it is what was meant.
func (s *stranger) compares() {
	s.did.Sold++
	serial, _, _ := strings.Cut(s.tab.Text("#outcome span"), " ")
	s.last = serial
	sold, asked := linesOf(s.walk.get("/sales/tickets?serial_code="+serial, s.walk.cashier).list()[0]), browser.Value[[]string](s.tab, `asked`)
	if len(asked) > 0 {
		s.did.Asked++
	}
	switch {
	case maps.Equal(sold, s.meant):
	case len(asked) > 0:
		assert.Equal(s.t, s.meant, sold, "%s is another ticket than meant, after the page had asked %q", serial, asked)
	default:
		assert.Equal(s.t, s.meant, sold, "%s is silently another ticket", serial)
	}
}
