package weekly_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
)

// A share is at most its rate of the result, and a carried loss is used up by profits and by nothing else.
func TestShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := money.BasisPoints(rapid.IntRange(0, 10_000).Draw(t, "rate"))
		mode := rapid.SampledFrom([]string{org.ParticipationCarry, org.ParticipationShared, org.ParticipationNone}).Draw(t, "mode")
		var carried, granted, sum money.Amount
		results := rapid.SliceOf(rapid.Int64Range(-1_000_000, 1_000_000)).Draw(t, "results")
		for _, r := range results {
			result := money.Amount(r)
			sum += result
			share, out := weekly.Share(rate, mode, result, carried)
			switch mode {
			case org.ParticipationShared:
				require.Equal(t, carried, out)
				require.LessOrEqual(t, max(share, -share), max(result, -result))
			case org.ParticipationNone:
				require.Equal(t, carried, out)
				require.Equal(t, rate.Share(max(result, 0)), share)
			default:
				require.LessOrEqual(t, out, money.Amount(0))
				require.Equal(t, rate.Share(max(result+carried, 0)), share)
				if result >= -carried {
					require.Zero(t, out)
				}
			}
			granted += share
			carried = out
		}
		if mode == org.ParticipationCarry { // each week is rounded down
			whole := rate.Share(sum - carried)
			require.LessOrEqual(t, granted, whole)
			require.GreaterOrEqual(t, granted, whole-money.Amount(len(results)))
		}
	})
}

var points = []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeOtherPoint} //nolint:gochecknoglobals // a constant

// history makes random events.
type history struct {
	*bundle
	rng     *rand.Rand
	open    []*catalog.Draw
	sold    []*sales.Ticket
	results map[string]*draws.Result // by draw
	drawn   map[string]string
	did     map[string]int
}

func (h *history) sell(t *testing.T) {
	t.Helper()
	if len(h.open) == 0 {
		return
	}
	d := h.open[h.rng.IntN(len(h.open))]
	stake := money.Amount(100 + h.rng.IntN(5000))
	req := fixture.Ticket(fixture.Line(d, catalog.BetStraight, stake.Format(2), strconv.Itoa(1+h.rng.IntN(3))))
	req.EntityID = fixture.EntityID(points[h.rng.IntN(len(points))])
	sold, err := h.sales.Sell(t.Context(), h.by, req)
	require.NoError(t, err)
	h.sold = append(h.sold, &sold.Ticket)
}

func (h *history) cancelOne(t *testing.T) {
	t.Helper()
	if len(h.sold) == 0 {
		return
	}
	if _, err := h.sales.Cancel(t.Context(), h.by, &sales.CancelRequest{TicketID: h.sold[h.rng.IntN(len(h.sold))].ID}); err == nil {
		h.did["cancelled"]++
	}
}

// settleOne settles the first draw that is open.
func (h *history) settleOne(t *testing.T) {
	t.Helper()
	if len(h.open) == 0 {
		return
	}
	d := h.open[0]
	h.open = h.open[1:]
	h.drawn[d.ID.String()] = strconv.Itoa(1 + h.rng.IntN(3))
	h.results[d.ID.String()] = h.settle(t, d, h.drawn[d.ID.String()])
}

func (h *history) payOne(t *testing.T) {
	t.Helper()
	if len(h.sold) == 0 {
		return
	}
	ticket := h.sold[h.rng.IntN(len(h.sold))]
	if _, err := h.prizes.Pay(t.Context(), h.by, &prizes.PayRequest{TicketID: ticket.ID, ValidationCode: ticket.ValidationCode}); err == nil {
		h.did["paid"]++
	}
}

// correctOne corrects the result of the draw of a random ticket.
func (h *history) correctOne(t *testing.T) {
	t.Helper()
	if len(h.sold) == 0 {
		return
	}
	ticket := h.sold[h.rng.IntN(len(h.sold))]
	id := ticket.Lines[0].DrawID.String()
	next := strconv.Itoa(1 + h.rng.IntN(3))
	if h.results[id] == nil || h.drawn[id] == next {
		return
	}
	proposed, _, err := h.draws.Correct(t.Context(), fixture.As(fixture.Typist), h.results[id].ID, catalog.Outcome{Value: next}, "misread", false)
	if err != nil {
		return // too old
	}
	verified, _, err := h.draws.Verify(t.Context(), fixture.As(fixture.Verifier), proposed.ID, nil)
	require.NoError(t, err)
	h.results[id], h.drawn[id] = verified, next
	h.did["corrected"]++
}

func (h *history) settleDifferences(t *testing.T) {
	t.Helper()
	list, _, err := h.prizes.Differences(t.Context(), h.by, &prizes.DifferenceFilter{Status: prizes.DifferenceOpen, Limit: 10})
	require.NoError(t, err)
	for i := range list {
		if _, err := h.prizes.Resolve(t.Context(), h.by, list[i].ID); err == nil {
			h.did["differences"]++
		}
	}
}

func (h *history) move(t *testing.T) {
	t.Helper()
	codes := append(branch(), seed.CodeOtherAgency, seed.CodeOtherPoint)
	amount := money.Amount(1 + h.rng.IntN(10_000))
	if h.rng.IntN(2) == 0 {
		amount = -amount
	}
	h.deposit(t, codes[h.rng.IntN(len(codes))], amount)
}

func (h *history) transfer(t *testing.T) {
	t.Helper()
	codes := branch()
	r := &ledger.MovementRequest{
		WalletID: h.wallet(t, codes[h.rng.IntN(len(codes))]), Amount: money.Amount(1 + h.rng.IntN(10_000)).Format(2), Reference: strconv.FormatUint(h.rng.Uint64(), 10),
	}
	_, _, err := h.Ledger.Transfer(t.Context(), h.by, r, []ledger.Direction{ledger.FromParent, ledger.ToParent}[h.rng.IntN(2)])
	require.NoError(t, err)
}

// place moves a ticket point, a group or an agency in the tree.
func (h *history) place(t *testing.T) {
	t.Helper()
	moves := [][2]string{
		{seed.CodeTicketPoint, "GRU-101"}, {seed.CodeTicketPoint, seed.CodeGroup}, {seed.CodeTicketPoint2, seed.CodeAgency}, {seed.CodeTicketPoint2, seed.CodeGroup},
		{seed.CodeGroup, seed.CodeOtherAgency}, {seed.CodeGroup, seed.CodeAgency},
	}
	m := moves[h.rng.IntN(len(moves))]
	if _, _, err := h.Org.Move(t.Context(), h.by, org.MoveRequest{EntityID: fixture.EntityID(m[0]), ParentID: fixture.EntityID(m[1])}); err == nil {
		h.did["placed"]++
	}
	h.Forget()
}

// After any history, the debt of an entity equals the negated balance of its wallets and the wallets below, and the
// shares equal the shares of the restated weeks.
func TestBalancesOfRandomHistories(t *testing.T) {
	t.Parallel()
	did := map[string]int{}
	for seed := range uint64(3) {
		b := setup(t)
		h := &history{bundle: b, rng: rand.New(rand.NewPCG(seed, 42)), results: map[string]*draws.Result{}, drawn: map[string]string{}, did: did}
		modes := []string{org.ParticipationCarry, org.ParticipationShared, org.ParticipationNone}
		b.Exec(t, `UPDATE entities SET finance_info = jsonb_set(finance_info, '{participation,mode}', to_jsonb($1::text)) WHERE entity_type = 'AGENCY'`, modes[seed])
		b.Exec(t, `UPDATE entities SET config_info = config_info || '{"prize_expiry_hours": 720}'`)
		for range 3 {
			h.open = append([]*catalog.Draw(nil), b.OpenDraws(t, "lotto-activo")[:6]...)
			steps := []func(*testing.T){
				h.sell, h.sell, h.sell, h.sell, h.cancelOne, h.settleOne, h.payOne, h.payOne, h.payOne, h.correctOne, h.correctOne, h.settleDifferences, h.move, h.transfer, h.place,
			}
			for range 70 {
				steps[h.rng.IntN(len(steps))](t)
			}
			b.nextWeek()
			b.draft(t)
			b.confirmAll(t)
			list, _, err := b.List(t.Context(), b.by, &weekly.Filter{Week: b.week().AddDays(-7), Limit: 100})
			require.NoError(t, err)
			for i := range list {
				require.Equal(t, b.short(t, list[i].Code), list[i].Balance(), "seed %d, %s", seed, list[i].Code)
			}
			b.Clock.Advance(b.week().At(10, 0, fixture.Caracas).Sub(b.Clock.Now()))
		}
		b.requireRestated(t)
		b.requireSound(t)
		did["moved"] += int(b.Number(t, `SELECT count(*) FROM weekly_settlements WHERE moved <> 0`))
		did["adjustments"] += int(b.Number(t, `SELECT count(*) FROM weekly_adjustments WHERE prizes <> 0 AND participation <> 0`))
	}
	for _, name := range []string{"cancelled", "paid", "corrected", "differences", "adjustments", "placed", "moved"} {
		require.Positive(t, did[name], name)
	}
}

// requireRestated requires that the adjusted participations equal the participations of the restated results.
func (b *bundle) requireRestated(t testing.TB) {
	t.Helper()
	rows, err := b.PG.Pool.Query(t.Context(), `SELECT s.previous_id IS NULL, s.result - coalesce(sum(a.prizes), 0)::bigint, s.participation + coalesce(sum(a.participation), 0)::bigint, s.rate, s.mode
		FROM weekly_settlements s LEFT JOIN weekly_adjustments a ON a.restates_id = s.id GROUP BY s.id ORDER BY s.entity_id, s.week`)
	require.NoError(t, err)
	defer rows.Close()
	var carried, share money.Amount
	for rows.Next() {
		var first bool
		var result, granted money.Amount
		var rate money.BasisPoints
		var mode string
		require.NoError(t, rows.Scan(&first, &result, &granted, &rate, &mode))
		if first {
			carried = 0
		}
		share, carried = weekly.Share(rate, mode, result, carried)
		require.Equal(t, share, granted)
	}
	require.NoError(t, rows.Err())
}
