package closes_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/closes"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/idempotency"
	"banca/internal/receipts"
	"banca/internal/setup/seed"
)

// A counted drawer waits for another cashier, who takes it once. Nothing is booked; the receipt and the close have both names.
func TestADrawerPassesBetweenTwoCashiers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.OpenDraws(t, "")[5]
	b.sell(t, point, draw)
	open := b.open(t, point)
	give := func(key, other string) (*closes.Handover, bool, error) {
		return b.HandOver(t.Context(), b.by, &closes.HandOverRequest{
			CloseID: open.ID, Cash: closes.Cash{Counts: []closes.TypedCount{{"5", 1}}, Other: other}, Note: " falta un billete ", IdempotencyKey: key,
		})
	}
	_, _, err := give("", "1.005")
	require.ErrorIs(t, err, closes.ErrCash)
	transactions := b.Number(t, `SELECT count(*) FROM transactions`)
	first, _, err := give("one", "3.50")
	require.NoError(t, err)
	require.Equal(t, []string{"10.00", "8.50", "-1.50", "falta un billete"}, []string{first.Expected.Format(2), first.Counted.Format(2), first.Variance().Format(2), first.Note})
	require.Equal(t, transactions, b.Number(t, `SELECT count(*) FROM transactions`), "nothing is booked")
	b.sell(t, point, draw)
	again, replayed, err := give("one", "3.5")
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, first, again, "the expected cash is that of the first answer")
	_, _, err = give("one", "4")
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	_, _, err = give("two", "3.50")
	require.ErrorIs(t, err, closes.ErrWaiting)

	next := fixture.As(seed.ID("user", "admin@banca.test"))
	_, err = b.TakeOver(t.Context(), b.by, closes.TakeOverRequest{CloseID: open.ID, ID: first.ID})
	require.ErrorIs(t, err, closes.ErrOwnDrawer)
	_, err = b.TakeOver(t.Context(), next, closes.TakeOverRequest{CloseID: open.ID, ID: uuid.New()})
	require.ErrorIs(t, err, closes.ErrHandoverNotFound)
	taken, err := b.TakeOver(t.Context(), next, closes.TakeOverRequest{CloseID: open.ID, ID: first.ID})
	require.NoError(t, err)
	require.Equal(t, next.UserID, taken.TakenBy)
	once, err := b.TakeOver(t.Context(), next, closes.TakeOverRequest{CloseID: open.ID, ID: first.ID})
	require.NoError(t, err)
	require.Equal(t, taken, once)
	_, err = b.TakeOver(t.Context(), fixture.As(fixture.Verifier), closes.TakeOverRequest{CloseID: open.ID, ID: first.ID})
	require.ErrorIs(t, err, closes.ErrTaken)

	commands, _, err := b.Receipt(t.Context(), b.by, open.ID, receipts.FormatESCPOS)
	require.NoError(t, err)
	require.Contains(t, string(commands), "ENTREGAS DE CAJA")
	require.NotEmpty(t, taken.Giver)
	require.NotEmpty(t, taken.Taker)
	require.Contains(t, string(commands), "-1,50", "the difference")
	b.finish(t, open, "20.00")
	_, _, err = give("three", "1")
	require.ErrorIs(t, err, closes.ErrClosed)
	list, err := b.Handovers(t.Context(), b.by, open.ID)
	require.NoError(t, err)
	require.Equal(t, []closes.Handover{*taken}, list)
	b.requireSound(t)
}

// Many who give or take at once: one drawer waits, and one cashier has it.
func TestADrawerIsGivenAndTakenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	open := b.open(t, point)
	var mu sync.Mutex
	var given []*closes.Handover
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			h, _, err := b.HandOver(t.Context(), b.by, &closes.HandOverRequest{CloseID: open.ID, Cash: closes.Cash{Other: "1"}})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				given = append(given, h)
			} else if !errors.Is(err, closes.ErrWaiting) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	require.Len(t, given, 1)
	takers := 0
	for _, user := range []uuid.UUID{fixture.Typist, fixture.Verifier, fixture.Typist, fixture.Verifier} {
		wait.Go(func() {
			_, err := b.TakeOver(t.Context(), fixture.As(user), closes.TakeOverRequest{CloseID: open.ID, ID: given[0].ID})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				takers++
			} else if !errors.Is(err, closes.ErrTaken) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	require.Equal(t, 2, takers, "both requests of the one who has it")
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM cash_handovers WHERE taken_by IS NOT NULL`))
}
