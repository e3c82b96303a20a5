package rollup_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// history makes random events and keeps the figures of the operator by day, from the answers alone.
type history struct {
	*bundle
	rng     *rand.Rand
	want    map[businessday.Day]*rollup.Figures
	sold    []*sales.Ticket
	results map[string]*draws.Result // by draw
	drawn   map[string]string
	open    []*catalog.Draw
	gone    map[string]bool // suspended draws
	paid    int             // payments, also those that are cancelled later
}

func (h *history) day() *rollup.Figures {
	day := h.today()
	if h.want[day] == nil {
		h.want[day] = &rollup.Figures{}
	}
	return h.want[day]
}

var points = []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint} //nolint:gochecknoglobals // a constant

// sell sells one to three lines with odd stakes, so that commissions are rounded.
func (h *history) sell(t *testing.T) {
	t.Helper()
	var lines []sales.Item
	var total money.Amount
	for range 1 + h.rng.IntN(3) {
		stake := money.Amount(100 + h.rng.IntN(5000))
		d := h.open[h.rng.IntN(len(h.open))]
		lines = append(lines, fixture.Line(d, catalog.BetStraight, stake.Format(2), strconv.Itoa(1+h.rng.IntN(3))))
		total += stake
	}
	req := fixture.Ticket(lines...)
	req.EntityID = fixture.EntityID(points[h.rng.IntN(len(points))])
	sold, err := h.sales.Sell(t.Context(), h.by, req)
	if err != nil {
		require.NotNil(t, apperr.From(err))
		require.Equal(t, "INVALID_TICKET", apperr.From(err).Code, "%v", err) // a draw has closed
		return
	}
	h.sold = append(h.sold, &sold.Ticket)
	h.day().Tickets++
	h.day().Sold += total
}

func (h *history) cancelOne(t *testing.T) {
	t.Helper()
	ticket := h.sold[h.rng.IntN(len(h.sold))]
	if _, err := h.sales.Cancel(t.Context(), h.by, &sales.CancelRequest{TicketID: ticket.ID}); err == nil {
		h.day().VoidedTickets++
		h.day().Voided += ticket.Total
	}
}

// settleOne settles the first draw that has no result. The others stay on sale.
func (h *history) settleOne(t *testing.T) {
	t.Helper()
	for _, d := range h.open {
		if id := d.ID.String(); h.results[id] == nil && !h.gone[id] {
			h.drawn[id] = strconv.Itoa(1 + h.rng.IntN(3))
			h.results[id] = h.settle(t, d, h.drawn[id])
			return
		}
	}
}

func (h *history) correctOne(t *testing.T) {
	t.Helper()
	var settled []string
	for _, d := range h.open {
		if id := d.ID.String(); h.results[id] != nil {
			settled = append(settled, id)
		}
	}
	if len(settled) == 0 {
		return
	}
	id := settled[h.rng.IntN(len(settled))]
	if next := strconv.Itoa(1 + h.rng.IntN(3)); next != h.drawn[id] {
		h.results[id], h.drawn[id] = h.correct(t, h.results[id], next), next
	}
}

func (h *history) suspendOne(t *testing.T) {
	t.Helper()
	d := h.open[h.rng.IntN(len(h.open))]
	if h.results[d.ID.String()] != nil || h.gone[d.ID.String()] {
		return
	}
	h.gone[d.ID.String()] = true
	before := h.Number(t, `SELECT coalesce(sum(amount), 0)::bigint FROM draw_refunds`)
	err := h.draws.Suspend(t.Context(), h.by, d.ID, "no draw")
	require.NoError(t, err)
	require.NoError(t, h.draws.Refund(t.Context(), d.ID))
	h.day().Refunded += money.Amount(h.Number(t, `SELECT coalesce(sum(amount), 0)::bigint FROM draw_refunds`) - before)
}

func (h *history) payOne(t *testing.T) {
	t.Helper()
	ticket := h.sold[h.rng.IntN(len(h.sold))]
	paid, err := h.prizes.Pay(t.Context(), h.by, &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode})
	if err == nil {
		h.day().Paid += paid.Payment.Amount
		h.paid++
		return
	}
	if undone, err := h.prizes.Cancel(t.Context(), h.by, &prizes.CancelRequest{TicketID: ticket.ID, Reason: "wrong"}); err == nil {
		h.day().Paid -= undone.Payment.Amount
	}
}

// settleDifference collects or pays the difference of a paid ticket that was corrected.
func (h *history) settleDifference(t *testing.T) {
	t.Helper()
	list, _, err := h.prizes.Differences(t.Context(), h.by, &prizes.DifferenceFilter{Status: prizes.DifferenceOpen, Limit: 1})
	require.NoError(t, err)
	if len(list) == 0 {
		return
	}
	if _, err := h.prizes.Resolve(t.Context(), h.by, list[0].ID); err == nil {
		h.day().Paid += list[0].Due - list[0].Paid
	}
}

func (h *history) move(t *testing.T) {
	t.Helper()
	parents := []string{seed.CodeGroup, "GRU-101", seed.CodeAgency, seed.CodeSuperAgency}
	_, _, err := h.Org.Move(t.Context(), h.by, org.MoveRequest{
		EntityID: fixture.EntityID(points[h.rng.IntN(len(points))]), ParentID: fixture.EntityID(parents[h.rng.IntN(len(parents))]),
	})
	if err != nil {
		require.ErrorIs(t, err, org.ErrRates)
	}
	h.Forget()
}

// After any history and any counting, the totals equal the answers, the books and a count from scratch.
func TestTotalsOfRandomHistories(t *testing.T) {
	t.Parallel()
	var all rollup.Figures
	paid := 0
	for seed := range uint64(4) {
		b := setup(t)
		h := &history{
			bundle: b, rng: rand.New(rand.NewPCG(seed, 13)), want: map[businessday.Day]*rollup.Figures{},
			results: map[string]*draws.Result{}, drawn: map[string]string{}, gone: map[string]bool{},
		}
		h.open = append(b.OpenDraws(t, "lotto-activo"), b.OpenDraws(t, "la-granjita")...)
		slices.SortFunc(h.open, func(a, b *catalog.Draw) int { return a.Time.Compare(b.Time) })
		h.open = h.open[:6] // few, so that most tickets have a result in the end
		h.sell(t)
		steps := []func(*testing.T){
			h.sell, h.sell, h.sell, h.sell, h.sell, h.sell, h.cancelOne, h.cancelOne, h.settleOne, h.correctOne, h.suspendOne, h.payOne, h.payOne, h.payOne, h.settleDifference, h.move,
			func(t *testing.T) { t.Helper(); require.NoError(t, b.Advance(t.Context())) },
		}
		for range 120 {
			steps[h.rng.IntN(len(steps))](t)
		}
		b.Clock.Advance(24 * time.Hour)
		for range 30 {
			[]func(*testing.T){h.correctOne, h.payOne, h.payOne, h.settleDifference}[h.rng.IntN(4)](t)
		}
		b.advance(t)

		rows, err := b.Sum(t.Context(), b.query(fixture.RootID), rollup.ByDay)
		require.NoError(t, err)
		for _, r := range rows {
			got := r.Figures
			got.Lines, got.Won, got.Commission = 0, 0, rollup.Commission{} // compared with the books by Verify
			want := rollup.Figures{}
			if h.want[r.Day] != nil { // else prizes were corrected, and nothing else happened
				want = *h.want[r.Day]
			}
			require.Equal(t, want, got, "seed %d, %s", seed, r.Day)
			delete(h.want, r.Day)
			all.Add(&r.Figures)
		}
		require.Empty(t, h.want, "days without a row")
		b.requireSound(t)

		kept := b.table(t)
		require.NoError(t, b.Rebuild(t.Context()))
		b.advance(t)
		require.Equal(t, kept, b.table(t), "seed %d", seed)
		paid += h.paid
	}
	require.Greater(t, paid, 4)
	for name, figure := range map[string]money.Amount{"voided": all.Voided, "refunded": all.Refunded, "won": all.Won, "commission": all.Commission.Total()} {
		require.Positive(t, figure, name)
	}
}

// Sales and cancellations that go on while the totals are counted are counted once each.
func TestTotalsBesideSellers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.OpenDraws(t, "lotto-activo")[0]
	var sellers, advancing sync.WaitGroup
	for i := range 8 {
		sellers.Go(func() {
			for n := range 15 {
				req := fixture.Ticket(fixture.Line(d, catalog.BetStraight, "3.33", strconv.Itoa(1+n)))
				req.EntityID = fixture.EntityID(points[i%len(points)])
				sold, err := b.sales.Sell(t.Context(), b.by, req)
				if err != nil {
					t.Errorf("sell: %v", err)
					return
				}
				if n%5 == 0 {
					if _, err := b.sales.Cancel(t.Context(), b.by, &sales.CancelRequest{TicketID: sold.Ticket.ID}); err != nil {
						t.Errorf("cancel: %v", err)
					}
				}
			}
		})
	}
	done := make(chan struct{})
	for range 3 {
		advancing.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if err := b.Advance(t.Context()); err != nil {
						t.Errorf("advance: %v", err)
						return
					}
				}
			}
		})
	}
	sellers.Wait()
	close(done)
	advancing.Wait()
	b.advance(t)
	total := b.of(t, seed.CodeOperator)
	require.EqualValues(t, 120, total.Tickets)
	require.EqualValues(t, 24, total.VoidedTickets)
	require.EqualValues(t, 96*3_33, total.NetSales())
	b.requireSound(t)
}
