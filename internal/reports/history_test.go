package reports_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/prizes"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// history makes random events of every kind at the ticket points of a bundle.
type history struct {
	*bundle
	rng     *rand.Rand
	draws   *draws.Service
	prizes  *prizes.Service
	open    []*catalog.Draw
	results map[string]*draws.Result // by draw
	sold    []*sales.Ticket
}

func newHistory(t *testing.T, seedOf uint64) *history {
	t.Helper()
	b := setupOver(t, shared)
	h := &history{bundle: b, rng: rand.New(rand.NewPCG(seedOf, 7)), results: map[string]*draws.Result{}}
	h.draws = draws.New(draws.Deps{
		PG: b.PG, Catalog: b.Catalog, Cache: b.Risk, Refunds: b.sales, Clock: b.Clock, Log: b.Env.Log, Events: realtime.Discard{},
	})
	h.prizes = prizes.New(prizes.Deps{
		PG: b.PG, Org: b.Org, Catalog: b.Catalog, Ledger: b.Ledger, Guesses: ratelimit.NewGuesses(b.Redis, b.Clock).WithTimeout(testkit.RedisTimeout),
		Clock: b.Clock, Events: realtime.Discard{}, Zone: fixture.Caracas,
	})
	h.open = append(b.OpenDraws(t, "lotto-activo"), b.OpenDraws(t, "la-granjita")...)
	slices.SortFunc(h.open, func(a, b *catalog.Draw) int { return a.Time.Compare(b.Time) })
	h.open = h.open[:6]
	return h
}

func (h *history) sell(t *testing.T) {
	t.Helper()
	var lines []sales.Item
	for range 1 + h.rng.IntN(3) {
		stake := money.Amount(100 + h.rng.IntN(5000))
		lines = append(lines, fixture.Line(h.open[h.rng.IntN(len(h.open))], catalog.BetStraight, stake.Format(2), strconv.Itoa(1+h.rng.IntN(3))))
	}
	req := fixture.Ticket(lines...)
	req.EntityID = fixture.EntityID([]string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint}[h.rng.IntN(3)])
	if sold, err := h.sales.Sell(t.Context(), h.by, req); err == nil { // else a draw has closed
		h.sold = append(h.sold, &sold.Ticket)
	}
}

func (h *history) any() *sales.Ticket { return h.sold[h.rng.IntN(len(h.sold))] }

func (h *history) cancel(t *testing.T) {
	t.Helper()
	_, _ = h.sales.Cancel(t.Context(), h.by, &sales.CancelRequest{TicketID: h.any().ID}) // refused after its time
}

func (h *history) pay(t *testing.T) {
	t.Helper()
	ticket := h.any()
	if _, err := h.prizes.Pay(t.Context(), h.by, &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode}); err != nil && h.rng.IntN(3) == 0 {
		_, _ = h.prizes.Cancel(t.Context(), h.by, &prizes.CancelRequest{TicketID: ticket.ID, Reason: "wrong"}) // refused if it is not paid
	}
}

// decide settles or suspends the first draw that is not decided.
func (h *history) decide(t *testing.T) {
	t.Helper()
	for _, d := range h.open {
		if _, decided := h.results[d.ID.String()]; decided {
			continue
		}
		if h.rng.IntN(4) == 0 {
			h.results[d.ID.String()] = nil
			require.NoError(t, h.draws.Suspend(t.Context(), h.by, d.ID, "no draw"))
			require.NoError(t, h.draws.Refund(t.Context(), d.ID))
			return
		}
		h.Clock.Advance(max(0, d.Time.Sub(h.Clock.Now())))
		_, err := h.draws.CloseDue(t.Context())
		require.NoError(t, err)
		entered, err := h.draws.Enter(t.Context(), fixture.As(fixture.Typist), d.ID, catalog.Outcome{Value: strconv.Itoa(1 + h.rng.IntN(3))})
		require.NoError(t, err)
		h.results[d.ID.String()], _, err = h.draws.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
		require.NoError(t, err)
		_, err = h.draws.Settle(t.Context(), d.ID)
		require.NoError(t, err)
		return
	}
}

func (h *history) correct(t *testing.T) {
	t.Helper()
	for _, d := range h.open {
		r := h.results[d.ID.String()]
		if r == nil || h.rng.IntN(2) == 0 {
			continue
		}
		proposed, _, err := h.draws.Correct(t.Context(), fixture.As(fixture.Typist), r.ID, catalog.Outcome{Value: strconv.Itoa(1 + h.rng.IntN(3))}, "misread", false)
		if err != nil {
			continue // the same result
		}
		h.results[d.ID.String()], _, err = h.draws.Verify(t.Context(), fixture.As(fixture.Verifier), proposed.ID, nil)
		require.NoError(t, err)
		return
	}
}

// expire lets days pass until uncollected prizes expire.
func (h *history) expire(t *testing.T) {
	t.Helper()
	h.Clock.Advance(4 * 24 * time.Hour)
	_, err := h.prizes.Expire(t.Context())
	require.NoError(t, err)
	h.CountTotals(t, h.totals.Advance)
}

// Over random histories with cancellations, refunds, corrections and expiries, the reports of every entity agree with
// the books and with each other, and what must sum to zero does.
func TestReportsOfRandomHistoriesSumToZero(t *testing.T) {
	t.Parallel()
	var all rollup.Figures
	var expired, rounded money.Amount
	for n := range uint64(3) {
		h := newHistory(t, n)
		first := h.today()
		h.sell(t)
		steps := []func(*testing.T){h.sell, h.sell, h.sell, h.sell, h.sell, h.cancel, h.decide, h.correct, h.pay, h.pay}
		for range 90 {
			steps[h.rng.IntN(len(steps))](t)
		}
		h.decide(t)
		h.Clock.Advance(24 * time.Hour)
		for range 20 { // on another day than the sales
			h.pay(t)
			h.correct(t)
		}
		h.expire(t)
		f := reports.Filter{Currency: "VES", From: first, To: h.today()}
		var balances money.Amount
		for _, code := range []string{
			seed.CodeOperator, seed.CodeSuperAgency, seed.CodeAgency, seed.CodeOtherAgency, seed.CodeGroup, "GRU-101", seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint,
		} {
			f.EntityID = fixture.EntityID(code)
			h.requireZeroSums(t, &f)
			days := []reports.Filter{f, f, f}
			days[1].To, days[2].From = first, first.AddDays(1)
			for i := range days {
				rounded += h.requireTicketSums(t, &days[i])
			}
			report, err := h.Balances(t.Context(), h.by, &f, reports.MaxBalances)
			require.NoError(t, err)
			balances += report.Own.Closing
		}
		require.Zero(t, balances, "what one owes is owed to another: the operator's external wallet moved nothing")
		f.EntityID = fixture.RootID
		list, err := h.ExpiredPrizes(t.Context(), h.by, &f, 1, 0)
		require.NoError(t, err)
		require.EqualValues(t, h.Number(t, `SELECT coalesce(sum(prize), 0)::bigint FROM tickets t WHERE status = 'won' AND expired_at IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM prize_differences x WHERE x.ticket_id = t.id AND x.status = 'open')`), list.Prizes)
		total, err := h.Sales(t.Context(), h.by, &f, reports.GroupTotal)
		require.NoError(t, err)
		require.EqualValues(t, h.Number(t, `SELECT coalesce(sum(prize), 0)::bigint FROM tickets WHERE status IN ('won', 'paid')`), total.Total.Won)
		require.EqualValues(t, h.Number(t, `SELECT coalesce(sum(amount), 0)::bigint FROM transactions WHERE type = 'prize'`), total.Total.Paid)
		all.Add(&total.Total)
		expired += list.Prizes
		h.RequireSound(t, h.sales.Verify, h.draws.Checks, h.prizes.Verify, h.totals.Verify)
	}
	for name, figure := range map[string]money.Amount{
		"voided": all.Voided, "refunded": all.Refunded, "won": all.Won, "paid": all.Paid, "expired": expired, "rounded": rounded, "commission": all.Commission.Total(),
	} {
		require.Positive(t, figure, name)
	}
}

// requireZeroSums compares the reports of an entity with each other.
func (h *history) requireZeroSums(t *testing.T, f *reports.Filter) {
	t.Helper()
	audit, err := h.LevelAudit(t.Context(), h.by, f)
	require.NoError(t, err)
	rest := audit.Total.NetSales() - audit.Total.Paid - audit.PassedUp
	for _, l := range audit.Levels {
		rest -= l.Kept
	}
	require.Zero(t, rest, audit.Entity.Code)
	cascade, err := h.Waterfall(t.Context(), h.by, f)
	require.NoError(t, err)
	var sum money.Amount
	for _, s := range cascade.Steps {
		if !s.Subtotal {
			sum += s.Amount
		}
	}
	require.Equal(t, cascade.Steps[len(cascade.Steps)-1].Amount, sum, audit.Entity.Code)
	balances, err := h.Balances(t.Context(), h.by, f, reports.MaxBalances)
	require.NoError(t, err)
	own := balances.Own
	require.Equal(t, own.Closing, own.Opening+own.Sale+own.Prize+own.Commission+own.Deposit+own.Withdrawal, audit.Entity.Code)
	switch audit.Entity.Type {
	case models.EntityOperator:
		require.Equal(t, cascade.Total.Cash(), own.Closing, "the operator has the result")
	case models.EntityTicketPoint:
		require.Equal(t, -audit.PassedUp, own.Closing, "a ticket point owes what it passes up")
	}
}

// requireTicketSums compares each draw of the report of sales with its tickets, and returns the sum of the roundings.
func (h *history) requireTicketSums(t *testing.T, f *reports.Filter) (rounded money.Amount) {
	t.Helper()
	byGame := *f
	for _, d := range h.open {
		byGame.GameID = d.GameID
		sales, err := h.Sales(t.Context(), h.by, &byGame, reports.GroupDraw)
		require.NoError(t, err)
		var above reports.SalesRow
		for i := range sales.Rows {
			if sales.Rows[i].ID == d.ID {
				above = sales.Rows[i]
			}
		}
		list, err := h.DrawTickets(t.Context(), h.by, f, d.ID, 1000, 0)
		require.NoError(t, err)
		var sum reports.TicketFigures
		var shares reports.Accrued
		for i := range list.Rows {
			addTicket(&sum, &shares, &list.Rows[i])
		}
		require.Len(t, list.Rows, int(list.Tickets))
		requireFigures(t, &above, &sum)
		requireFigures(t, &above, &list.TicketFigures)
		require.Equal(t, above.Accrued, list.Accrued, "%s of %s to %s", sales.Entity.Code, f.From, f.To)
		require.Equal(t, above.Participation, shares.Participation+list.Rounding)

		_, rows, err := h.AllDrawTickets(t.Context(), h.by, f, d.ID)
		require.NoError(t, err)
		sum, shares = reports.TicketFigures{}, reports.Accrued{}
		for ticket, err := range rows {
			require.NoError(t, err)
			addTicket(&sum, &shares, &ticket)
		}
		requireFigures(t, &above, &sum)
		require.Equal(t, above.Accrued, shares, "the rows of the file sum to the row above")
		rounded += max(list.Rounding, -list.Rounding)
	}
	return rounded
}

func addTicket(sum *reports.TicketFigures, shares *reports.Accrued, t *reports.Ticket) {
	sum.Lines += t.Lines
	sum.Stake += t.Stake
	sum.Undone += t.Undone
	sum.Commission += t.Commission
	sum.Prize += t.Prize
	sum.Paid += t.Paid
	shares.Participation += t.Participation
	shares.Net += t.Net
}

func requireFigures(t *testing.T, above *reports.SalesRow, sum *reports.TicketFigures) {
	t.Helper()
	require.Equal(t, reports.TicketFigures{
		Lines: above.Lines, Stake: above.Sold, Undone: above.Voided + above.Refunded, Commission: above.Commission.Total(), Prize: above.Won, Paid: above.Paid,
	}, *sum)
}
