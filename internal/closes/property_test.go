package closes_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/closes"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/prizes"
	"banca/internal/sales"
)

// Fifty closes at once with one key have one effect and one answer; with fifty keys one of them closes the day.
func TestOneOfFiftyClosesWins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.OpenDraws(t, "")[5]
	for name, entity := range map[string]uuid.UUID{"one key": point, "fifty keys": other} {
		b.sell(t, entity, draw)
		open := b.open(t, entity)
		var won, refused atomic.Int64
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				key := "k"
				if name == "fifty keys" {
					key = strconv.Itoa(i)
				}
				closed, err := b.tryFinish(t, open, "10.00", key)
				switch {
				case err == nil:
					won.Add(1)
					assert.Equal(t, "10.00", closed.CashTotal.Format(2))
				case assert.ErrorIs(t, err, closes.ErrClosed):
					refused.Add(1)
				}
			})
		}
		group.Wait()
		if name == "one key" {
			require.EqualValues(t, 50, won.Load(), name)
		} else {
			require.Equal(t, []int64{1, 49}, []int64{won.Load(), refused.Load()}, name)
		}
	}
	require.EqualValues(t, 2, b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'closes' AND action = 'close'`))
	b.requireSound(t)
}

// Whatever sellers do while days are closed by hand and by the task at any instant, every event is in exactly one close.
func TestEveryEventIsInExactlyOneClose(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		list := b.OpenDraws(t, "")
		draw, suspended := list[5], list[1]
		var winners []*sales.Ticket
		for range 4 {
			for _, entity := range []uuid.UUID{point, other} {
				winners = append(winners, b.sell(t, entity, list[0]))
				b.sell(t, entity, suspended, draw) // the rest of it stays sold
				b.sell(t, entity, suspended)
			}
		}
		b.settle(t, list[0])
		require.NoError(t, b.draws.Suspend(t.Context(), fixture.As(fixture.Typist), suspended.ID, "the machine broke"))
		var group sync.WaitGroup
		group.Go(func() { assert.NoError(t, b.draws.Refund(t.Context(), suspended.ID)) })
		for _, winner := range winners {
			group.Go(func() { b.payAndTakeBack(t, winner) })
		}
		for range 2 {
			for _, entity := range []uuid.UUID{point, other} {
				group.Go(func() { b.trade(t, entity, func() (*sales.Ticket, error) { return b.trySell(t, entity, draw) }) })
			}
		}
		for _, entity := range []uuid.UUID{point, other} {
			group.Go(func() {
				time.Sleep(rand.N(300 * time.Millisecond))
				_, err := b.tryFinish(t, b.open(t, entity), "0", "")
				assert.NoError(t, err)
			})
		}
		group.Wait()
		b.requireSound(t)
		b.next()
		for range 2 { // two workers at once
			group.Go(func() {
				_, err := b.Due(t.Context())
				assert.NoError(t, err)
			})
		}
		group.Wait()
	}
	b.next()
	_, err := b.Due(t.Context())
	require.NoError(t, err)
	b.requireSound(t)
	for name, sql := range map[string]string{
		"tickets":  `SELECT sum(tickets) - (SELECT count(*) FROM tickets) FROM daily_closes WHERE wallet_id IS NOT NULL AND status = 'closed'`,
		"voided":   `SELECT sum(voided) - (SELECT count(*) FROM tickets WHERE status = 'cancelled' AND refunds = 0) FROM daily_closes WHERE wallet_id IS NOT NULL AND status = 'closed'`,
		"deposits": `SELECT sum(deposits - withdrawals) - (SELECT sum(CASE type WHEN 'deposit' THEN amount ELSE -amount END) FROM transactions WHERE type IN ('deposit', 'withdrawal')) FROM daily_closes WHERE wallet_id IS NOT NULL`,
		"prizes":   `SELECT sum(prizes) - (SELECT sum(amount) FROM transactions WHERE type = 'prize') FROM daily_closes WHERE wallet_id IS NOT NULL AND status = 'closed'`,
		"paid":     `SELECT sum(paid) - (SELECT count(*) FROM paid_prizes WHERE cancelled_at IS NULL) FROM daily_closes WHERE wallet_id IS NOT NULL AND status = 'closed'`,
		"refunds":  `SELECT sum(refunds) - (SELECT sum(amount) FROM draw_refunds) FROM daily_closes WHERE wallet_id IS NOT NULL AND status = 'closed'`,
		"summed":   `SELECT count(*) FROM daily_closes c WHERE c.status = 'closed' AND c.entity_id <> '00000000-0000-7000-8000-000000000001' AND NOT EXISTS (SELECT 1 FROM daily_close_parts p WHERE p.part_id = c.id)`,
		"root": `SELECT (SELECT sum(sales - voids) FROM daily_closes WHERE wallet_id IS NULL AND entity_id = '00000000-0000-7000-8000-000000000001')
			- (SELECT sum(sales - voids) FROM daily_closes WHERE wallet_id IS NOT NULL)`,
	} {
		require.Zero(t, b.Number(t, `SELECT (`+sql+`)::bigint`), name)
	}
	for column, why := range map[string]string{"late_events": "some events came after a close", "prizes": "prizes were paid", "refunds": "stakes were returned"} {
		require.Positive(t, b.Number(t, `SELECT sum(`+column+`)::bigint FROM daily_closes`), why)
	}
}

// payAndTakeBack pays a prize at some instant, and takes every third payment back.
func (b *bundle) payAndTakeBack(t *testing.T, winner *sales.Ticket) {
	t.Helper()
	time.Sleep(rand.N(200 * time.Millisecond))
	_, err := b.prizes.Pay(t.Context(), b.by, &prizes.PayRequest{TicketID: winner.ID, ValidationCode: winner.ValidationCode})
	if assert.NoError(t, err) && rand.N(3) == 0 {
		_, err := b.prizes.Cancel(t.Context(), b.by, &prizes.CancelRequest{TicketID: winner.ID, Reason: "wrong"})
		assert.NoError(t, err)
	}
}

// trade sells, cancels and moves money at random.
func (b *bundle) trade(t *testing.T, entity uuid.UUID, sell func() (*sales.Ticket, error)) {
	t.Helper()
	var sold []*sales.Ticket
	for range 15 {
		switch n := rand.N(10); {
		case n < 6 || len(sold) == 0:
			ticket, err := sell()
			if assert.NoError(t, err) {
				sold = append(sold, ticket)
			}
		case n < 8:
			_, err := b.sales.Cancel(t.Context(), b.by, &sales.CancelRequest{TicketID: sold[len(sold)-1].ID})
			assert.NoError(t, err)
			sold = sold[:len(sold)-1]
		case n < 9:
			b.move(t, entity, 7_00)
		default:
			b.move(t, entity, -3_00)
		}
	}
}
