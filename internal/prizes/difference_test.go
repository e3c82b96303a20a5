package prizes_test

import (
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// A payment by a wrong result leaves a difference, which is settled by booking the prize due.
func TestAnOverpaidPrizeIsSettled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, result := b.winner(t)
	before := b.balance(t, ticket)
	_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.NoError(t, err)
	corrected := b.correct(t, result, "6")
	d := b.difference(t, ticket)
	require.EqualValues(t, 30000, d.Overpaid())
	require.Equal(t, models.TicketPaid, b.status(t, ticket))
	b.requireSound(t)

	_, err = b.Ledger.Fold(t.Context())
	require.NoError(t, err)
	b.Exec(t, `UPDATE wallets SET credit_limit = -least(balance, 0) WHERE id = $1`, b.wallet(t, ticket))
	state := b.state(t)
	_, err = b.Resolve(t.Context(), b.by, d.ID)
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance, "it stays open until the point covers it")
	_, err = b.Resolve(t.Context(), testkit.Operator(uuid.New()), d.ID)
	require.ErrorIs(t, err, prizes.ErrDifferenceNotFound)
	require.Equal(t, state, b.state(t))
	b.Exec(t, `UPDATE wallets SET credit_limit = 100000000 WHERE id = $1`, b.wallet(t, ticket))

	proposed, _, err := b.draws.Correct(t.Context(), fixture.As(fixture.Typist), corrected.ID, catalog.Outcome{Value: "7"}, "misread again", false)
	require.NoError(t, err)
	_, err = b.Resolve(t.Context(), b.by, d.ID)
	require.ErrorIs(t, err, prizes.ErrDisputed)
	_, _, err = b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), proposed.ID, nil)
	require.NoError(t, err)

	settled, err := b.Resolve(t.Context(), b.by, d.ID)
	require.NoError(t, err)
	require.Equal(t, prizes.DifferenceSettled, settled.Status)
	require.Equal(t, before, b.balance(t, ticket))
	require.Equal(t, models.TicketLost, b.status(t, ticket))
	_, err = b.Resolve(t.Context(), b.by, d.ID)
	require.ErrorIs(t, err, prizes.ErrDifferenceClosed)
	b.requireSound(t)
}

// A correction that raises a paid prize leaves a difference; settling it books the whole prize again.
func TestAnUnderpaidPrizeIsSettled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.open(t)
	ticket := b.sell(t, "5", list[0], list[1])
	b.settle(t, list[0], "5")
	second := b.settle(t, list[1], "6")
	_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.NoError(t, err)
	paid := b.balance(t, ticket)
	b.correct(t, second, "5")
	d := b.difference(t, ticket)
	require.EqualValues(t, -30000, d.Overpaid())
	_, err = b.Resolve(t.Context(), b.by, d.ID)
	require.NoError(t, err)
	require.Equal(t, paid+30000, b.balance(t, ticket))
	require.Equal(t, models.TicketPaid, b.status(t, ticket))
	b.requireSound(t)
}

// A written-off difference stays so through corrections that do not change the ticket.
func TestADifferenceIsWrittenOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, result := b.winner(t)
	_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.NoError(t, err)
	paid := b.balance(t, ticket)
	result = b.correct(t, result, "6")
	d := b.difference(t, ticket)
	_, err = b.WriteOff(t.Context(), b.by, d.ID, " ")
	require.ErrorIs(t, err, prizes.ErrNoteMissing)
	for path := range b.pathsAbove(t, ticket) {
		_, err = b.WriteOff(t.Context(), testkit.Within(path), d.ID, "we shall not pay")
		require.ErrorIs(t, err, prizes.ErrOperatorOnly, path)
	}
	off, err := b.WriteOff(t.Context(), b.by, d.ID, "the point closed down")
	require.NoError(t, err)
	require.Equal(t, prizes.DifferenceWrittenOff, off.Status)
	require.Equal(t, paid, b.balance(t, ticket))
	_, err = b.WriteOff(t.Context(), b.by, d.ID, "again")
	require.ErrorIs(t, err, prizes.ErrDifferenceClosed)
	b.requireSound(t)
	b.correct(t, result, "5")
	require.Zero(t, b.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'open'`), "it is worth what was paid again")
	b.requireSound(t)
}

func TestACancelledPaymentEndsItsDifference(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, result := b.winner(t)
	_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.NoError(t, err)
	b.correct(t, result, "6")
	done, err := b.Cancel(t.Context(), b.by, b.unask(ticket, ""))
	require.NoError(t, err)
	require.Equal(t, models.TicketLost, done.Status)
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'void'`))
	b.requireSound(t)
}

// A payment, a correction and the expiry race: whichever is first, tickets, payments, differences and books agree.
func TestPaymentsRaceCorrectionsAndExpiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.open(t)[0]
	tickets := make([]*sales.Ticket, 12)
	for i := range tickets {
		tickets[i] = b.sell(t, "5", d)
	}
	result := b.settle(t, d, "5")
	for i, ticket := range tickets {
		if i%3 == 0 {
			b.Exec(t, `UPDATE tickets SET expires_at = $2 WHERE id = $1`, ticket.ID, b.Clock.Now())
		}
	}
	proposed, _, err := b.draws.Correct(t.Context(), fixture.As(fixture.Typist), result.ID, catalog.Outcome{Value: "6"}, "misread", false)
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		_, _, err := b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), proposed.ID, nil)
		if err != nil {
			t.Error(err)
		}
	})
	for _, ticket := range tickets {
		running.Go(func() { _, _ = b.Pay(t.Context(), b.by, b.ask(ticket, "")) })
		running.Go(func() { _, _ = b.Cancel(t.Context(), b.by, b.unask(ticket, "")) })
	}
	running.Go(func() {
		if _, err := b.Expire(t.Context()); err != nil {
			t.Error(err)
		}
	})
	running.Wait()
	b.requireSound(t)
}

// Killed connections leave whole payments or none, and every answer stays true.
func TestKilledConnectionsLeavePaymentsComplete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.open(t)[0]
	tickets := make([]*sales.Ticket, 30)
	for i := range tickets {
		tickets[i] = b.sell(t, "5", d)
	}
	b.settle(t, d, "5")
	var running sync.WaitGroup
	paid := make([]bool, len(tickets))
	for i, ticket := range tickets {
		running.Go(func() {
			_, err := b.Pay(t.Context(), b.by, b.ask(ticket, "k"+ticket.ID.String()))
			paid[i] = err == nil
		})
		if i%5 == 0 {
			running.Go(func() {
				_, _ = b.PG.Pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
					WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`)
			})
		}
	}
	running.Wait()
	for i, ticket := range tickets {
		again, err := b.Pay(t.Context(), b.by, b.ask(ticket, "k"+ticket.ID.String()))
		require.NoError(t, err)
		require.True(t, again.Replayed || !paid[i], "what was answered stands")
	}
	require.EqualValues(t, len(tickets), b.Number(t, `SELECT count(*) FROM paid_prizes`))
	b.requireSound(t)
}

func (b *bundle) wallet(t testing.TB, ticket *sales.Ticket) (id uuid.UUID) {
	t.Helper()
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT wallet_id FROM tickets WHERE id = $1`, ticket.ID).Scan(&id))
	return id
}

// A receivable was collected and its correction is corrected back: the point is owed the prize again, and pays it once.
func TestACollectedReceivableIsOwedAgainAfterASecondCorrection(t *testing.T) {
	t.Parallel()
	for _, settle := range []bool{true, false} {
		b := setup(t)
		ticket, result := b.winner(t)
		before := b.balance(t, ticket)
		_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
		require.NoError(t, err)
		wrong := b.correct(t, result, "6")
		_, err = b.Resolve(t.Context(), b.by, b.difference(t, ticket).ID)
		require.NoError(t, err)
		require.Equal(t, before, b.balance(t, ticket), "collected")
		right := b.correct(t, wrong, "5")
		d := b.difference(t, ticket)
		require.Equal(t, []int64{0, 30000}, []int64{int64(d.Paid), int64(d.Due)})
		b.requireSound(t)
		_, err = b.Pay(t.Context(), b.by, b.ask(ticket, ""))
		require.ErrorIs(t, err, prizes.ErrCollected)

		if settle {
			_, err = b.Resolve(t.Context(), b.by, d.ID)
		} else {
			_, err = b.WriteOff(t.Context(), b.by, d.ID, "the customer had given it back")
			require.NoError(t, err)
			require.Equal(t, models.TicketWon, b.status(t, ticket))
			_, err = b.Pay(t.Context(), b.by, b.ask(ticket, ""))
		}
		require.NoError(t, err)
		require.Equal(t, models.TicketPaid, b.status(t, ticket))
		require.Equal(t, before+30000, b.balance(t, ticket), "it is paid once")
		_, err = b.Pay(t.Context(), b.by, b.ask(ticket, ""))
		require.ErrorIs(t, err, prizes.ErrAlreadyPaid)
		b.requireSound(t)

		b.correct(t, right, "7")
		require.EqualValues(t, 30000, b.difference(t, ticket).Overpaid(), "and may be wrong again")
		_, err = b.Cancel(t.Context(), b.by, b.unask(ticket, ""))
		require.NoError(t, err)
		require.Equal(t, before, b.balance(t, ticket))
		b.requireSound(t)
	}
}

// A prize that was collected, written off when it was due again, and then paid anew restates the day of that payment.
func TestAPaymentAfterAWriteOffIsAFirstOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, result := b.winner(t)
	day := 24 * time.Hour
	pay := func(key string) {
		_, err := b.Pay(t.Context(), b.by, b.ask(ticket, key))
		require.NoError(t, err)
		b.Clock.Advance(day)
	}
	settle := func() {
		_, err := b.Resolve(t.Context(), b.by, b.difference(t, ticket).ID)
		require.NoError(t, err)
		b.Clock.Advance(day)
	}
	pay("first")
	result = b.correct(t, result, "6")
	settle()
	result = b.correct(t, result, "5")
	_, err := b.WriteOff(t.Context(), b.by, b.difference(t, ticket).ID, "the holder comes back")
	require.NoError(t, err)
	paidOn := businessday.Of(b.Clock.Now(), fixture.Caracas)
	pay("again")
	b.correct(t, result, "6")
	today := businessday.Of(b.Clock.Now(), fixture.Caracas)
	settle()
	list, err := b.SettledDifferences(t.Context(), &prizes.Period{CurrencyID: seed.ID("currency", "VES"), From: today,
		To: today})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, paidOn, list[0].PaidOn)
	require.EqualValues(t, -300_00, list[0].Amount)
}

// pathsAbove yields the paths of a ticket's seller and of the entities above it but for the operator.
func (b *bundle) pathsAbove(t testing.TB, ticket *sales.Ticket) iter.Seq[string] {
	t.Helper()
	path := b.Text(t, `SELECT path FROM entities WHERE id = $1`, ticket.EntityID)
	return func(yield func(string) bool) {
		for strings.Count(path, "/") > 2 {
			if !yield(path) {
				return
			}
			path = path[:strings.LastIndex(strings.TrimSuffix(path, "/"), "/")+1]
		}
	}
}
