package sales_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/clock"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// reserve makes a reservation as a sale does that is killed before it commits.
func (b *bundle) reserve(t testing.TB, draw *catalog.Draw) *risk.Reservation {
	t.Helper()
	chain, err := b.Org.Chain(t.Context(), fixture.EntityID(seed.CodeTicketPoint))
	require.NoError(t, err)
	r, err := b.Risk.Reserve(t.Context(), &risk.Request{
		TicketID: uuid.Must(uuid.NewV7()), Chain: chain, Currency: risk.Currency{ID: seed.ID("currency", "VES"), Code: "VES", Digits: 2},
		Lines: []risk.Line{{DrawID: draw.ID, GameID: draw.GameID, BetType: "straight", Selection: "5", Stake: 1000, Payout: 3000, Prize: 30_000, MinStake: 1}},
	})
	require.NoError(t, err)
	return r
}

func (b *bundle) sweep(t testing.TB) risk.Swept {
	t.Helper()
	swept, err := b.Risk.Sweep(t.Context())
	require.NoError(t, err)
	return swept
}

func TestKilledBetweenReserveAndCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.sweep(t)
	b.reserve(t, draw)
	b.requireSound(t) // it counts as it will in the end
	b.Clock.Advance(29 * time.Second)
	require.Zero(t, b.sweep(t).Released, "it may still commit")
	require.Equal(t, "1000", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.Clock.Advance(time.Second)
	require.Equal(t, 1, b.sweep(t).Released)
	require.Empty(t, b.counts(t))
	b.requireSound(t)
}

// Nothing serves the confirmations here, as after a kill right behind the commit.
func TestKilledBetweenCommitAndConfirm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.stopped(t)
	ticket := b.sell(t, straight(draw, "5", "10.00"))
	require.Equal(t, 1, b.notes(t))
	b.Clock.Advance(30 * time.Second)
	require.Equal(t, risk.Swept{Settled: 1}, func() risk.Swept { s := b.sweep(t); s.Rebuilt = 0; return s }())
	require.Zero(t, b.notes(t))
	require.Equal(t, "1000", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.requireOnce(t, []sales.Ticket{*ticket})
	b.requireSound(t)
}

// deaf is a risk engine whose process is killed before it can settle a cancellation.
type deaf struct{ *risk.Service }

func (deaf) Apply(context.Context, *risk.Cancellation) error { return errors.New("killed") }
func (deaf) Drop(context.Context, *risk.Cancellation) error  { return errors.New("killed") }

func TestKilledBetweenCancelAndApply(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw, other := b.draw(t, "lotto-activo", 0), b.draw(t, "la-granjita", 0)
	b.sell(t, straight(draw, "5", "7.00"))
	b.quiet(t)
	balances, counts := b.balances(t), b.counts(t)
	ticket := b.sell(t, straight(draw, "5", "10.00"), straight(other, "6", "10.00"))
	b.quiet(t)
	b.Service.Risk = deaf{b.Risk}
	_, err := b.Cancel(t.Context(), b.cancel(ticket.ID))
	require.NoError(t, err)
	_, err = b.Cancel(t.Context(), b.cancel(ticket.ID)) // refused at once, without a note
	require.ErrorIs(t, err, sales.ErrNotCancellable)
	require.Equal(t, balances, b.balances(t))
	require.Equal(t, 2, b.notes(t), "one for each draw")
	b.requireSound(t)
	b.Clock.Advance(30 * time.Second)
	require.Equal(t, 2, b.sweep(t).Released)
	require.Zero(t, b.sweep(t).Released)
	require.Equal(t, counts, b.counts(t))
	b.requireSound(t)
}

// A note counts for its own attempt only: one that another attempt overtook takes nothing back.
func TestKilledBeforeTheCancellationCommits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	kept, cancelled := b.sell(t, straight(draw, "5", "7.00")), b.sell(t, straight(draw, "5", "10.00"))
	chain, err := b.Org.Chain(t.Context(), fixture.EntityID(seed.CodeTicketPoint))
	require.NoError(t, err)
	for _, ticket := range []*sales.Ticket{kept, cancelled} {
		l := ticket.Lines[0]
		_, err := b.Risk.BeginCancellation(t.Context(), uuid.Must(uuid.NewV7()), chain, "VES",
			[]risk.SoldLine{{DrawID: l.DrawID, BetType: l.BetType, Selection: l.Selection, Stake: l.Amount, Prize: l.PotentialPrize}})
		require.NoError(t, err)
	}
	_, err = b.Cancel(t.Context(), b.cancel(cancelled.ID))
	require.NoError(t, err)
	b.Clock.Advance(30 * time.Second)
	swept := b.sweep(t)
	require.Zero(t, swept.Released)
	require.GreaterOrEqual(t, swept.Settled, 2)
	require.Equal(t, "700", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.requireSound(t)
}

// A reservation too old to be safe from the sweep is not committed any more.
func TestASaleThatWaitedTooLong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	before := b.state(t)
	b.Service.Risk = slow{b.Risk, b.Clock}
	_, err := b.Sell(t.Context(), b.request(draw, "5", "10.00"))
	require.ErrorIs(t, err, sales.ErrBusy)
	require.Equal(t, before, b.state(t))
	b.requireSound(t)
}

// slow is a risk engine after which the time to commit is over.
type slow struct {
	*risk.Service
	clock *clock.Fake
}

func (s slow) Reserve(ctx context.Context, req *risk.Request) (*risk.Reservation, error) {
	r, err := s.Service.Reserve(ctx, req)
	s.clock.Advance(risk.CommitWithin + time.Second)
	return r, err
}
