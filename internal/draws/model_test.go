package draws_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/sales"
	"banca/models"
)

// modelDraw is a draw of the model.
type modelDraw struct {
	*catalog.Draw
	game      string
	outcome   *catalog.Outcome
	result    uuid.UUID
	suspended bool
}

// modelTicket is a ticket with its bets, in words of the game's rules.
type modelTicket struct {
	*sales.Ticket
}

// model holds the sales and results, and derives from them alone the state of every ticket.
type model struct {
	h       *world
	rng     *rand.Rand
	draws   []*modelDraw
	tickets []modelTicket
}

// evaluate decides one line: whether it is decided, and its prize. It is written from the rules of the games and
// shares no code with the engine.
func (m *model) evaluate(l *sales.Line) (decided bool, prize int64) {
	at := slices.IndexFunc(m.draws, func(d *modelDraw) bool { return d.ID == l.DrawID })
	d := m.draws[at]
	if d.suspended {
		return true, 0
	}
	if d.outcome == nil {
		return false, 0
	}
	if l.BetType == catalog.BetTripleta {
		return m.tripleta(d, l)
	}
	o, pick := d.outcome, l.Selection
	sign := ""
	if before, after, ok := strings.Cut(pick, ","); ok {
		pick, sign = before, after
	}
	hit := false
	switch l.BetType {
	case catalog.BetStraight, catalog.BetTriple:
		hit = pick == o.Value
	case catalog.BetTripleSign:
		hit = pick == o.Value && sign == o.Sign
	case catalog.BetTerminal:
		hit = strings.HasSuffix(o.Value, pick)
	case catalog.BetTerminalSign:
		hit = strings.HasSuffix(o.Value, pick) && sign == o.Sign
	case catalog.BetFirstTwo:
		hit = strings.HasPrefix(o.Value, pick)
	}
	if !hit {
		return true, 0
	}
	payout := int64(l.Payout)
	if d.game == "mega-animal-40" {
		if slices.Contains(o.Flags, "MEGA") {
			payout = 40_00
		}
		if o.Wildcard == "C1" {
			payout *= 2
		}
	}
	return true, int64(l.Amount) * payout / 100
}

// tripleta looks through the next twelve draws of the game that were not suspended.
func (m *model) tripleta(first *modelDraw, l *sales.Line) (decided bool, prize int64) {
	missing := strings.Split(l.Selection, ",")
	left := 12
	for _, d := range m.draws {
		if d.game != first.game || d.Time.Before(first.Time) || d.suspended || left == 0 {
			continue
		}
		left--
		decided = left == 0
		if d.outcome != nil {
			missing = slices.DeleteFunc(missing, func(code string) bool { return code == d.outcome.Value })
		}
	}
	if len(missing) == 0 {
		return true, int64(l.PotentialPrize)
	}
	if decided {
		left := 12
		for _, d := range m.draws { // over only when each of them has come out
			if d.game == first.game && !d.Time.Before(first.Time) && !d.suspended && left > 0 {
				left--
				decided = decided && d.outcome != nil
			}
		}
	}
	return decided, 0
}

// want is how a ticket must stand.
func (m *model) want(t *modelTicket) string {
	var prize int64
	pending, alive := false, false
	for i := range t.Lines {
		decided, won := m.evaluate(&t.Lines[i])
		pending = pending || !decided
		prize += won
		at := slices.IndexFunc(m.draws, func(d *modelDraw) bool { return d.ID == t.Lines[i].DrawID })
		alive = alive || !m.draws[at].suspended
	}
	switch {
	case !alive:
		return models.TicketCancelled + " 0"
	case pending:
		return models.TicketPending + " 0"
	case prize > 0:
		return models.TicketWon + " " + strconv.FormatInt(prize, 10)
	default:
		return models.TicketLost + " 0"
	}
}

func (m *model) requireAgreement(t *testing.T, step string) {
	t.Helper()
	for i := range m.tickets {
		require.Equal(t, m.want(&m.tickets[i]), m.h.state(t, m.tickets[i].Ticket), "%s: ticket %d: %+v", step, i, m.tickets[i].Lines)
	}
}

// bet is a random line on a draw; numbers are few, so that many win.
func (m *model) bet(d *modelDraw) sales.Item {
	amount := strconv.Itoa(1+m.rng.IntN(900)) + "." + fmt.Sprintf("%02d", m.rng.IntN(100))
	number := fmt.Sprintf("%03d", m.rng.IntN(4))
	signs := catalog.Signs()[:2]
	sign := signs[m.rng.IntN(len(signs))]
	switch d.game {
	case "triple-zulia":
		switch m.rng.IntN(4) {
		case 0:
			return fixture.Line(d.Draw, catalog.BetTriple, amount, number)
		case 1:
			return fixture.Line(d.Draw, catalog.BetTripleSign, amount, number, sign)
		case 2:
			return fixture.Line(d.Draw, catalog.BetTerminal, amount, number[1:])
		default:
			return fixture.Line(d.Draw, catalog.BetTerminalSign, amount, number[1:], sign)
		}
	case "trio-activo":
		if m.rng.IntN(2) == 0 {
			return fixture.Line(d.Draw, catalog.BetFirstTwo, amount, number[:2])
		}
		return fixture.Line(d.Draw, catalog.BetTriple, amount, number)
	case "loto-chaima":
		if m.rng.IntN(2) == 0 {
			return fixture.Line(d.Draw, catalog.BetTripleta, amount, m.animals(3)...)
		}
	}
	return fixture.Line(d.Draw, catalog.BetStraight, amount, m.animals(1)...)
}

// animals picks different animals out of the first six.
func (m *model) animals(n int) []string {
	codes := []string{"0", "00", "1", "2", "3", "4"}
	m.rng.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
	return codes[:n]
}

// outcome is a random outcome of a draw's game.
func (m *model) outcome(d *modelDraw) catalog.Outcome {
	number := fmt.Sprintf("%03d", m.rng.IntN(4))
	switch d.game {
	case "triple-zulia":
		return catalog.Outcome{Value: number, Sign: catalog.Signs()[m.rng.IntN(2)]}
	case "trio-activo":
		return catalog.Outcome{Value: number}
	case "mega-animal-40":
		o := catalog.Outcome{Value: m.animals(1)[0]}
		if m.rng.IntN(2) == 0 {
			o.Flags = []string{"MEGA"}
		}
		if m.rng.IntN(2) == 0 {
			o.Wildcard = "C1"
		}
		return o
	}
	return catalog.Outcome{Value: m.animals(1)[0]}
}

// Results in any order, corrections, suspensions and repeats: after each, every ticket stands as the games' rules
// say, the books and the draws hold, and nothing depends on the order.
func TestSettlementsAgreeWithTheRulesOfTheGames(t *testing.T) {
	t.Parallel()
	h := setup(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &model{h: h, rng: rand.New(rand.NewPCG(seed, 1))}
	for _, game := range []string{"triple-zulia", "trio-activo", "mega-animal-40", "lotto-activo", "loto-chaima"} {
		for i, d := range h.OpenDraws(t, game) {
			if game == "loto-chaima" || i < 3 {
				m.draws = append(m.draws, &modelDraw{Draw: d, game: game})
			}
		}
	}
	for range 80 {
		var items []sales.Item
		for range 1 + m.rng.IntN(5) {
			items = append(items, m.bet(m.draws[m.rng.IntN(len(m.draws))]))
		}
		m.tickets = append(m.tickets, modelTicket{h.sell(t, items...)})
	}
	h.Clock.Advance(48 * time.Hour)
	_, err := h.CloseDue(t.Context())
	require.NoError(t, err)
	for step := range 70 {
		d := m.draws[m.rng.IntN(len(m.draws))]
		name := m.step(t, d)
		m.requireAgreement(t, fmt.Sprintf("step %d, %s of %s %s", step, name, d.game, d.Number))
	}
	h.requireSound(t)
	for _, d := range m.draws { // the rest comes out, too
		if d.outcome == nil && !d.suspended {
			m.settle(t, d)
		}
	}
	m.requireAgreement(t, "at the end")
	h.requireSound(t)
	require.Zero(t, h.Number(t, `SELECT count(*) FROM tickets WHERE status = 'pending' AND NOT EXISTS (SELECT 1 FROM window_bets b WHERE b.ticket_id = id AND b.state = 'pending')`))
}

// step does something with a draw and returns what.
func (m *model) step(t *testing.T, d *modelDraw) string {
	t.Helper()
	switch {
	case d.suspended:
		require.NoError(t, m.h.Refund(t.Context(), d.ID))
		return "a second refund"
	case d.outcome != nil && m.rng.IntN(3) == 0:
		_, err := m.h.Settle(t.Context(), d.ID)
		require.NoError(t, err)
		return "a second settlement"
	case d.outcome != nil:
		m.correct(t, d)
		return "correction"
	case m.rng.IntN(6) == 0:
		require.NoError(t, m.h.Suspend(t.Context(), fixture.As(fixture.Typist), d.ID, "the machine broke"))
		d.suspended = true
		require.NoError(t, m.h.Refund(t.Context(), d.ID))
		return "suspension"
	default:
		m.settle(t, d)
		return "settlement"
	}
}

func (m *model) settle(t *testing.T, d *modelDraw) {
	t.Helper()
	o := m.outcome(d)
	d.outcome, d.result = &o, m.h.settle(t, d.Draw, o).ID
}

func (m *model) correct(t *testing.T, d *modelDraw) {
	t.Helper()
	o := m.outcome(d)
	before := m.states(t)
	_, shown, err := m.h.Correct(t.Context(), fixture.As(fixture.Typist), d.result, o, "read wrongly", true)
	if o.Equal(d.outcome) {
		require.ErrorContains(t, err, "RESULT_UNCHANGED")
		return
	}
	require.NoError(t, err)
	entered, none, err := m.h.Correct(t.Context(), fixture.As(fixture.Typist), d.result, o, "read wrongly", false)
	require.NoError(t, err)
	require.Nil(t, none, "a filed correction is not computed")
	require.Equal(t, before, m.states(t), "nothing changes until a second person verifies it")
	again, err := m.h.PreviewOf(t.Context(), entered.ID)
	require.NoError(t, err)
	_, done, err := m.h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, &o)
	require.NoError(t, err)
	require.Equal(t, shown.Currencies, done.Currencies, "what was shown is what was done")
	require.Equal(t, again.Currencies, done.Currencies)
	d.outcome, d.result = &o, entered.ID
}

func (m *model) states(t *testing.T) []string {
	t.Helper()
	var list []string
	for i := range m.tickets {
		list = append(list, m.h.state(t, m.tickets[i].Ticket))
	}
	return list
}
