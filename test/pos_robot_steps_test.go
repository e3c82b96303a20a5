package test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// robotCredit covers all tickets of the robot, in minor units.
const robotCredit = 100_000_000_00

// robotCancels is below the cancellations of a day that the ticket point may make.
const robotCancels = 15

// robotBlocked is an element that the robot asks for more of than its limit allows.
const robotBlocked = "31"

// robot is a cashier who sells by keys.
type robot struct {
	*counter

	testbed *robotTestbed
	rng     *rand.Rand
	sales   []robotSale
	did     robotDeeds
	mode    string
	draws   int
	known   map[string]journalEntry

	partly int // tickets of the database that have less than was asked for
}

// robotSale is a ticket as the page showed it when it was sold.
type robotSale struct{ serial, total string }

// robotDeeds counts what the robot has done.
type robotDeeds struct{ Repeats, Cancelled, Refusals, Lowered, Partly, NotAdded, Empty, Twins, Keys int }

// begin opens the point of sale, with a printer, and a limit that refuses some sales.
func (r *robot) begin() {
	t := r.t
	_, err := r.testbed.pg.Pool.Exec(t.Context(), `UPDATE wallets SET credit_limit = $1 WHERE entity_id = (SELECT id FROM entities WHERE code = $2)`, robotCredit, seed.CodeTicketPoint)
	require.NoError(t, err)
	made := r.post("/risk/limits", r.login(panelUser), map[string]any{"entityId": r.get("/auth/me", r.login(cashier)).data()["entity_id"], "currency": "VES", "metric": "stake", "element": robotBlocked, "base": "25.00"}, "")
	require.Equal(t, http.StatusCreated, made.status, string(made.raw))
	r.tab.Allow("433 POST http://" + r.at + "/sales/tickets")
	r.tab.Allow("422 POST http://" + r.at + "/sales/tickets") // of a draw that stops while its ticket is typed
	r.known, r.mode, r.draws = map[string]journalEntry{}, "animals", 1
	r.printsOn(usbPrinter)
	r.watched()
	r.open()
}

// press presses keys, and counts them.
func (r *robot) press(keys ...string) { r.did.Keys += r.keys(keys...) }

// chance is true once in n times.
func (r *robot) chance(n int) bool { return r.rng.IntN(n) == 0 }

// ticket sells a ticket: a new one, or the last one again. Some are cancelled afterwards.
func (r *robot) ticket() {
	if len(r.sales) > 0 && r.chance(8) {
		r.did.Repeats++
		r.press(kb.F9)
	} else {
		for range 1 + r.rng.IntN(3) {
			r.line()
		}
	}
	if r.count("#lines .row") == 0 { // such as of a draw that has stopped
		r.did.Empty++
		r.choose("animals")
		return
	}
	r.sellTicket()
	if len(r.sales)%50 == 0 {
		r.readJournal()
	}
}

// choose clicks on a kind of game. Each has a choice of its own: before it is left, Esc leaves one draw of it.
func (r *robot) choose(mode string) {
	r.press(kb.Escape, kb.Escape)
	browser.Value[bool](r.tab, `document.querySelector('[data-mode="`+mode+`"]').click() ?? true`)
	r.mode, r.draws = mode, 1
}

// line types numbers and an amount, at times on one draw more.
func (r *robot) line() {
	switch {
	case r.chance(6) || r.draws > 4:
		r.choose([]string{"animals", "animals", "terminals", "triples"}[r.rng.IntN(4)])
	case r.chance(5):
		r.press("+")
		r.draws++
	}
	entry := r.entry()
	r.press(entry)
	if strings.HasPrefix(entry, "*") {
		r.press(kb.Enter)
	}
	r.press(r.amount(), kb.Enter)
	if browser.Value[bool](r.tab, `document.querySelector("#number").value + document.querySelector("#amount").value !== ""`) { // not added
		r.did.NotAdded++
		r.press(kb.Escape, kb.Escape)
	}
}

// entry is one of the forms in which numbers are typed.
func (r *robot) entry() string {
	two := func() string { return fmt.Sprintf("%02d", 1+r.rng.IntN(36)) }
	if r.mode == "triples" {
		number := fmt.Sprintf("%03d", r.rng.IntN(1000))
		return []string{number, number + "p", number + ",777"}[r.rng.IntN(3)]
	}
	first := 1 + r.rng.IntN(30)
	switch r.rng.IntN(5) {
	case 0:
		return fmt.Sprintf("%02d-%02d", first, first+1+r.rng.IntN(5))
	case 1:
		return fmt.Sprintf("*%d", r.rng.IntN(10))
	case 2:
		return strings.Join([]string{two(), two(), two()}, ",")
	default:
		return two()
	}
}

// amount is typed with a comma, a point or neither.
func (r *robot) amount() string {
	whole := 1 + r.rng.IntN(9)
	return []string{fmt.Sprint(whole), fmt.Sprintf("%d,5", whole), fmt.Sprintf("%d.25", whole)}[r.rng.IntN(3)]
}

// sellTicket presses F12 until the ticket is sold, or nothing of it is left.
func (r *robot) sellTicket() {
	for attempt := 0; ; attempt++ {
		r.press(kb.F12)
		r.tab.UntilWithin(2*testkit.WaitTimeout, `/outcome (ok|bad)/.test(document.querySelector("#outcome").className) || document.querySelector("#outcome [data-do=asked]") !== null`)
		if r.count("#outcome [data-do=asked]") > 0 { // the same as a ticket of the last two minutes
			r.did.Twins++
			r.press(kb.Enter)
			r.tab.UntilWithin(2*testkit.WaitTimeout, `/outcome (ok|bad)/.test(document.querySelector("#outcome").className)`)
		}
		if browser.Value[bool](r.tab, `document.querySelector("#outcome").className === "outcome ok"`) {
			r.note()
			return
		}
		require.Less(r.t, attempt, 10, r.tab.Text("#outcome"))
		r.did.Refusals++
		if r.answerRefusal(attempt); r.count("#lines .row") == 0 {
			r.press(kb.F2)
			return
		}
	}
}

// answerRefusal lowers or takes off what does not fit, or sells what fits.
func (r *robot) answerRefusal(attempt int) {
	if r.count("#lines .ways [data-do=lower]") > 0 && r.chance(2) {
		r.did.Lowered++
		r.press(kb.Enter)
	} else if attempt == 0 && r.chance(2) {
		r.press("p")
		r.tab.UntilWithin(2*testkit.WaitTimeout, `document.querySelector("#number").value === "" && /outcome (ok|bad)/.test(document.querySelector("#outcome").className) && !document.querySelector("#sell").disabled
			|| document.querySelector("#outcome").className === "outcome ok"`)
		if browser.Value[bool](r.tab, `document.querySelector("#outcome").className === "outcome ok"`) {
			r.did.Partly++
			r.note()
			return
		}
	}
	for r.count("#lines .row.no") > 0 {
		r.press(kb.Delete)
	}
}

// note keeps what the page says of a sale, and cancels some.
func (r *robot) note() {
	r.t.Helper()
	said := browser.Value[string](r.tab, `document.querySelector("#outcome span").innerText`)
	parts := strings.Split(said, " · ")
	require.GreaterOrEqual(r.t, len(parts), 2, said)
	r.sales = append(r.sales, robotSale{serial: parts[0], total: parts[1]})
	if r.did.Cancelled < robotCancels && r.chance(12) {
		r.cancelLast(parts[0])
	}
}

// cancelLast cancels the ticket that was just sold.
func (r *robot) cancelLast(serial string) {
	r.press(kb.F10)
	r.tab.UntilWithin(testkit.WaitTimeout, `document.querySelector("#panel").open && document.querySelector("#panel-title").innerText.includes(`+quote(serial)+`)`)
	r.press(kb.Delete)
	r.tab.UntilWithin(testkit.WaitTimeout, `!document.querySelector("#panel").open`)
	r.did.Cancelled++
}
