package sales_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// cancel asks to undo a sale.
func (b *bundle) cancel(id uuid.UUID) *sales.CancelRequest { return &sales.CancelRequest{TicketID: id} }

// supervisor is the cashier with the permission to cancel late.
func supervisor() caller.Caller { return cashier(auth.SalesCancelAny) }

// requireNotCancelled proves that a cancellation is refused for the right reason and changes nothing.
func (b *bundle) requireNotCancelled(t testing.TB, by caller.Caller, req *sales.CancelRequest, code string) {
	t.Helper()
	before := b.state(t)
	done, err := b.Service.Cancel(t.Context(), by, req)
	require.Nil(t, done)
	require.Equal(t, code, apperr.CodeOf(err), "%v", err)
	require.Equal(t, before, b.state(t), "a refusal changes nothing")
}

func TestCancelReversesTheSale(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw, other := b.draw(t, "lotto-activo", 0), b.draw(t, "triple-zulia", 0)
	b.sell(t, straight(draw, "5", "7.00"))
	b.quiet(t)
	balances, counts := b.balances(t), b.counts(t)
	ticket := b.sell(t, straight(draw, "5", "1000.00"), straight(draw, "6", "3.33"), fixture.Line(other, "triple_sign", "1.01", "123", "ARI"))
	require.NotEqual(t, balances, b.balances(t))
	_, err := b.Ledger.Fold(t.Context()) // also after the ancestors' parts were folded
	require.NoError(t, err)

	done, err := b.Cancel(t.Context(), b.cancel(ticket.ID))
	require.NoError(t, err)
	require.Equal(t, models.TicketCancelled, done.Ticket.Status)
	require.Equal(t, b.Clock.Now(), done.Ticket.CancelledAt)
	require.Equal(t, balances, b.balances(t))
	require.Equal(t, counts, b.counts(t))
	_, err = b.Ledger.Fold(t.Context())
	require.NoError(t, err)
	require.Equal(t, balances, b.balances(t))
	b.requireNotCancelled(t, cashier(), b.cancel(ticket.ID), "TICKET_NOT_CANCELLABLE")
	b.requireSound(t)
}

// Of fifty cancellations at once, in two processes, one happens, once.
func TestCancelHappensOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		key    string
		others string // the answer to the others
	}{{"without a key", "", "TICKET_NOT_CANCELLABLE"}, {"with one key", "k", ""}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			other := b.another(t)
			draw := b.draw(t, "lotto-activo", 0)
			b.sell(t, straight(draw, "5", "7.00"))
			b.quiet(t)
			balances, counts := b.balances(t), b.counts(t)
			ticket := b.sell(t, straight(draw, "5", "10.00"))
			var done, replayed, refused atomic.Int64
			var running sync.WaitGroup
			for i := range 50 {
				running.Go(func() {
					req := b.cancel(ticket.ID)
					req.IdempotencyKey = tt.key
					c, err := []*bundle{b, other}[i%2].Cancel(t.Context(), req)
					switch {
					case err == nil && c.Replayed:
						replayed.Add(1)
					case err == nil:
						done.Add(1)
					case apperr.CodeOf(err) == tt.others:
						refused.Add(1)
					}
				})
			}
			running.Wait()
			require.EqualValues(t, 1, done.Load())
			if tt.key == "" {
				require.EqualValues(t, 49, refused.Load())
			} else {
				require.EqualValues(t, 49, replayed.Load())
			}
			b.quiet(t)
			require.Equal(t, balances, b.balances(t))
			require.Equal(t, counts, b.counts(t), "the counts follow once")
			b.requireSound(t)
		})
	}
}

func TestCancelInTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	early, late := b.draw(t, "lotto-activo", 0), b.draw(t, "lotto-activo", 2)
	supervised, stopped := b.sell(t, straight(late, "5", "10.00")), b.sell(t, straight(late, "5", "10.00"), straight(early, "5", "10.00"))
	b.Clock.Advance(5*time.Minute - time.Microsecond)
	inTime := b.sell(t, straight(late, "6", "10.00"))
	_, err := b.Cancel(t.Context(), b.cancel(inTime.ID))
	require.NoError(t, err)

	b.Clock.Advance(time.Microsecond)
	b.requireNotCancelled(t, cashier(), b.cancel(supervised.ID), "CANCEL_TOO_LATE")
	b.requireNotCancelled(t, cashier(), b.cancel(stopped.ID), "CANCEL_TOO_LATE")
	_, err = b.Service.Cancel(t.Context(), supervisor(), b.cancel(supervised.ID))
	require.NoError(t, err)

	b.Clock.Advance(early.SaleStopAt.Sub(b.Clock.Now()))
	b.requireNotCancelled(t, supervisor(), b.cancel(stopped.ID), "DRAW_CLOSED")
	fresh := b.sell(t, straight(late, "7", "10.00"))
	b.Exec(t, `UPDATE draws SET status = 'closed' WHERE id = $1`, late.ID)
	b.requireNotCancelled(t, supervisor(), b.cancel(fresh.ID), "DRAW_CLOSED")
	b.requireSound(t)
}

func TestCancelRefusesTicketsOfOthersAndDecidedOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	ticket := b.sell(t, straight(draw, "5", "10.00"))
	foreign := supervisor()
	foreign.Scope = testkit.Scope(b.path(t, seed.CodeOtherAgency))
	b.requireNotCancelled(t, foreign, b.cancel(ticket.ID), "TICKET_NOT_FOUND")
	b.requireNotCancelled(t, supervisor(), b.cancel(uuid.New()), "TICKET_NOT_FOUND")
	wrong := b.cancel(ticket.ID)
	wrong.IdempotencyKey = "\x00"
	b.requireNotCancelled(t, cashier(), wrong, "INVALID_IDEMPOTENCY_KEY")
	for _, status := range []string{models.TicketWon, models.TicketLost, models.TicketPaid} {
		b.Exec(t, `UPDATE tickets SET status = $2 WHERE id = $1`, ticket.ID, status)
		b.requireNotCancelled(t, supervisor(), b.cancel(ticket.ID), "TICKET_NOT_CANCELLABLE")
	}
}

func TestCancelsPerDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE entities SET config_info = config_info || '{"cancels_per_day": 3}' WHERE id = $1`, fixture.EntityID(seed.CodeAgency))
	draw := b.draw(t, "lotto-activo", 4)
	ids := make([]uuid.UUID, 12)
	for i := range ids {
		req := b.request(draw, "5", "10.00")
		req.Currency = []string{"VES", "USD"}[i%2] // two wallets, one count
		sold, err := b.Sell(t.Context(), req)
		require.NoError(t, err)
		ids[i] = sold.Ticket.ID
	}
	var done atomic.Int64
	var running sync.WaitGroup
	for _, id := range ids {
		running.Go(func() {
			_, err := b.Cancel(t.Context(), b.cancel(id))
			if err == nil {
				done.Add(1)
			} else if apperr.CodeOf(err) != "CANCEL_LIMIT_REACHED" {
				t.Error(err)
			}
		})
	}
	running.Wait()
	require.EqualValues(t, 3, done.Load())
	last := uuid.MustParse(b.text(t, `SELECT id::text FROM tickets WHERE status = 'pending' LIMIT 1`))
	b.requireNotCancelled(t, cashier(), b.cancel(last), "CANCEL_LIMIT_REACHED")
	_, err := b.Service.Cancel(t.Context(), supervisor(), b.cancel(last))
	require.NoError(t, err)
	elsewhere, err := b.Sell(t.Context(), at(b.request(draw, "5", "10.00"), seed.CodeTicketPoint2))
	require.NoError(t, err)
	_, err = b.Cancel(t.Context(), b.cancel(elsewhere.Ticket.ID))
	require.NoError(t, err, "each ticket point has its own count")
	b.requireSound(t)
}

func TestCancelKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	sold, err := b.Sell(t.Context(), keyed(b.request(draw, "5", "10.00"), "sale"))
	require.NoError(t, err)
	other := b.sell(t, straight(draw, "5", "10.00"))
	with := func(id uuid.UUID, key string) *sales.CancelRequest {
		req := b.cancel(id)
		req.IdempotencyKey = key
		return req
	}
	b.requireNotCancelled(t, cashier(), with(sold.Ticket.ID, "sale"), "IDEMPOTENCY_KEY_REUSED")
	first, err := b.Cancel(t.Context(), with(sold.Ticket.ID, "k"))
	require.NoError(t, err)
	before := b.state(t)
	again, err := b.Cancel(t.Context(), with(sold.Ticket.ID, "k"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Ticket, again.Ticket)
	require.Equal(t, before, b.state(t))
	b.requireNotCancelled(t, cashier(), with(other.ID, "k"), "IDEMPOTENCY_KEY_REUSED")
	b.requireRefused(t, keyed(b.request(draw, "5", "10.00"), "k"), "IDEMPOTENCY_KEY_REUSED")
}

// A cancellation stays exact while the counts are repeatedly rebuilt.
func TestCancelBesideRebuilds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `UPDATE entities SET config_info = config_info || '{"cancels_per_day": 1000}' WHERE id = $1`, fixture.RootID)
	var tickets []uuid.UUID
	for range 40 {
		tickets = append(tickets, b.sell(t, straight(draw, "5", "10.00")).ID)
	}
	ctx, stop := context.WithCancel(t.Context())
	var rebuilding sync.WaitGroup
	rebuilding.Go(func() {
		for ctx.Err() == nil {
			if err := b.Risk.Rebuild(context.WithoutCancel(ctx), []uuid.UUID{draw.ID}, true); err != nil {
				t.Error(err)
			}
		}
	})
	var cancelled atomic.Int64
	var running sync.WaitGroup
	for _, id := range tickets {
		running.Go(func() {
			_, err := b.Cancel(t.Context(), b.cancel(id))
			switch {
			case err == nil:
				cancelled.Add(1)
			case apperr.CodeOf(err) != risk.ErrUnavailable.Code: // twice recounted in between
				t.Error(err)
			}
		})
	}
	running.Wait()
	stop()
	rebuilding.Wait()
	require.Equal(t, cancelled.Load(), b.Number(t, `SELECT count(*) FROM tickets WHERE status = 'cancelled'`))
	b.quiet(t)
	require.Equal(t, itoa((40-cancelled.Load())*10_00), b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	b.requireSound(t)
}
