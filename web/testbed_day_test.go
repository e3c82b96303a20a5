package web

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

const (
	firstHour, lastHour = 8, 19 // of sales
	settledDraws        = 12    // with a result, for each ticket an hour, of the draws that have closed; the newest of them wait
	leastWins           = 4     // draws with a winner
	unpaidWins          = 2     // tickets
)

// testbedPoints are the ticket points of a testbed, the busiest first.
func testbedPoints() []string {
	return []string{seed.CodeTicketPoint, seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint}
}

// day makes the sales of a testbed.
type day struct {
	*testbed
	rng     *rand.Rand
	tickets []*sales.Ticket
	wins    int                          // draws with a winner
	animals map[string][]catalog.Element // of the games with animals, by id
}

// sellOnDaysBefore sells on the day before, and on the days of the week before.
func (s *testbed) sellOnDaysBefore(t *testing.T) {
	t.Helper()
	d := s.newDay(t)
	open := d.onSale(t)
	for _, ago := range []int{10, 8, 7, 7, 7, 1, 1, 1} {
		s.Clock.Advance(-time.Duration(ago) * 24 * time.Hour)
		for hour := range 3 {
			s.Clock.Advance(time.Duration(2*hour) * time.Hour)
			d.sell(t, open[len(open)-1-hour])
			s.Clock.Advance(-time.Duration(2*hour) * time.Hour)
		}
		s.Clock.Advance(time.Duration(ago) * 24 * time.Hour)
	}
	s.count(t)
	_, err := s.deps.Weekly.Due(t.Context())
	require.NoError(t, err)
}

func (s *testbed) newDay(t *testing.T) *day {
	t.Helper()
	d := &day{testbed: s, rng: rand.New(rand.NewPCG(7, 42)), animals: map[string][]catalog.Element{}}
	games, err := s.Catalog.Games(t.Context())
	require.NoError(t, err)
	for _, game := range games {
		if game.Category == models.CategoryAnimalitos {
			d.animals[game.ID.String()] = game.Elements
		}
	}
	return d
}

// onSale lists the open draws of the games with animals, the next one first.
func (d *day) onSale(t *testing.T) []*catalog.Draw {
	t.Helper()
	var open []*catalog.Draw
	for _, draw := range d.OpenDraws(t, "") {
		if d.animals[draw.GameID.String()] != nil && d.Clock.Now().Before(draw.SaleStopAt) {
			open = append(open, draw)
		}
	}
	return open
}

// sell sells a ticket of one to four lines on a draw.
func (d *day) sell(t *testing.T, draw *catalog.Draw) {
	t.Helper()
	stakes := []string{"5.00", "10.00", "20.00", "20.00", "50.00", "100.00"}
	chosen := d.rng.Perm(len(d.animals[draw.GameID.String()]))
	var lines []sales.Item
	for i := range 1 + d.rng.IntN(4) {
		animal := d.animals[draw.GameID.String()][chosen[i]/(1+i%2)]
		lines = append(lines, fixture.Line(draw, catalog.BetStraight, stakes[d.rng.IntN(len(stakes))], animal.Code))
	}
	req := fixture.Ticket(lines[:1+d.rng.IntN(len(lines))]...)
	req.EntityID = fixture.EntityID(testbedPoints()[d.rng.IntN(len(testbedPoints()))])
	sold, err := d.sales.Sell(t.Context(), fixture.As(fixture.Cashier), req)
	require.NoError(t, err)
	d.tickets = append(d.tickets, &sold.Ticket)
}

// sellToday sells from morning to evening. Draws close and settle, tickets are cancelled, win and are paid.
func (s *testbed) sellToday(t *testing.T, perHour int) {
	t.Helper()
	d := s.newDay(t)
	for hour := firstHour; hour <= lastHour; hour++ {
		s.moveTo(hour, 20)
		_, err := s.draws.CloseDue(t.Context())
		require.NoError(t, err)
		open := d.onSale(t)
		for range perHour + d.rng.IntN(1+perHour/2) {
			d.sell(t, open[d.rng.IntN(min(4, len(open)))])
		}
		last := d.tickets[len(d.tickets)-1]
		if hour%3 == 0 {
			_, err = s.sales.Cancel(t.Context(), fixture.As(fixture.Cashier), &sales.CancelRequest{TicketID: last.ID})
			require.NoError(t, err)
		}
	}
	s.moveTo(lastHour, 42)
	_, err := s.draws.CloseDue(t.Context())
	require.NoError(t, err)
	d.drawResults(t, settledDraws*perHour)
	d.payPrizes(t)
	s.count(t)
}

// drawResults gives results to the draws that have closed, except the last, and suspends one that is on sale.
func (d *day) drawResults(t *testing.T, most int) {
	t.Helper()
	list, _, err := d.Catalog.Draws(t.Context(), catalog.DrawFilter{Status: models.DrawClosed, Limit: 300})
	require.NoError(t, err)
	settled := 0
	for i, draw := range list {
		animals := d.animals[draw.GameID.String()]
		if animals == nil || d.Clock.Now().Before(draw.Time) {
			continue
		}
		outcome := catalog.Outcome{Value: d.winner(t, draw, animals)}
		if settled >= most || i == len(list)-1 {
			_, err := d.draws.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, outcome)
			require.NoError(t, err)
			break
		}
		d.settle(t, draw, outcome)
		settled++
	}
	open := d.onSale(t)
	require.NoError(t, d.draws.Suspend(t.Context(), fixture.As(fixture.Typist), open[len(open)-1].ID, "Sin transmisión"))
	require.NoError(t, d.draws.Refund(t.Context(), open[len(open)-1].ID))
}

// winner returns an animal that was bet on in the first draws with bets and in every eighth draw, and one by chance in the others.
func (d *day) winner(t *testing.T, draw *catalog.Draw, animals []catalog.Element) string {
	t.Helper()
	if d.wins < leastWins || d.rng.IntN(8) == 0 {
		if code := d.Text(t, `SELECT coalesce((SELECT selection FROM ticket_items WHERE draw_id = $1 ORDER BY amount, ticket_id LIMIT 1), '')`, draw.ID); code != "" {
			d.wins++
			return code
		}
	}
	return animals[d.rng.IntN(len(animals))].Code
}

// payPrizes pays the tickets that won, except the last ones, and cancels the payment of the second.
func (d *day) payPrizes(t *testing.T) {
	t.Helper()
	paid := 0
	for _, ticket := range d.tickets {
		if d.Text(t, `SELECT status FROM tickets WHERE id = $1`, ticket.ID) != models.TicketWon {
			continue
		}
		if left := d.Number(t, `SELECT count(*) FROM tickets WHERE status = $1`, models.TicketWon); left <= unpaidWins {
			return
		}
		_, err := d.deps.Prizes.Pay(t.Context(), fixture.As(fixture.Cashier), &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode})
		require.NoError(t, err)
		if paid++; paid == 2 {
			_, err = d.deps.Prizes.Cancel(t.Context(), fixture.As(fixture.Cashier), &prizes.CancelRequest{TicketID: ticket.ID, Reason: "Ticket equivocado"})
			require.NoError(t, err)
		}
	}
}
