package weekly_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
)

// owing returns the operator with a confirmed week of the worked example.
func owing(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	b.confirmAll(t)
	return b
}

func TestPaymentsOfASettlement(t *testing.T) {
	t.Parallel()
	b := owing(t)
	s := b.of(t, seed.CodeAgency)
	require.EqualValues(t, 1_050_00, s.Outstanding())

	paid, replayed, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Amount: "50.00", Reference: "r1", IdempotencyKey: "k"})
	require.NoError(t, err)
	require.False(t, replayed)
	require.EqualValues(t, 1_000_00, paid.Outstanding())
	require.Equal(t, weekly.Confirmed, paid.Status)
	_, replayed, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Amount: "50", Reference: "r1", IdempotencyKey: "k"})
	require.NoError(t, err)
	require.True(t, replayed)
	_, _, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Amount: "50.001", Reference: "r2"})
	require.ErrorIs(t, err, money.ErrAmount)
	_, _, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Amount: "50.00", Reference: "r1"})
	require.ErrorIs(t, err, ledger.ErrReferenceUsed)

	deposit := b.deposit(t, seed.CodeAgency, 400_00)
	list, err := b.Payable(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, deposit.ID, list[0].MovementID)
	link := &weekly.LinkRequest{ID: s.ID, MovementID: deposit.ID}
	linked, _, err := b.Link(t.Context(), b.by, link)
	require.NoError(t, err)
	require.EqualValues(t, 600_00, linked.Outstanding())
	_, _, err = b.Link(t.Context(), b.by, link)
	require.NoError(t, err, "a repeat changes nothing")
	above := b.of(t, seed.CodeSuperAgency)
	_, _, err = b.Link(t.Context(), b.by, &weekly.LinkRequest{ID: above.ID, MovementID: deposit.ID})
	require.NoError(t, err, "it pays the settlement of the entity above as well")
	unlinked, _, err := b.Unlink(t.Context(), b.by, link)
	require.NoError(t, err)
	require.EqualValues(t, 1_000_00, unlinked.Outstanding())
	_, _, err = b.Unlink(t.Context(), b.by, link)
	require.ErrorIs(t, err, weekly.ErrNotLinked)

	paid, _, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "rest"})
	require.NoError(t, err)
	require.Zero(t, paid.Outstanding())
	require.Equal(t, weekly.Paid, paid.Status)
	_, _, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "again"})
	require.ErrorIs(t, err, weekly.ErrNothingDue)

	_, _, err = b.Ledger.Reverse(t.Context(), b.by, &ledger.ReversalRequest{WalletID: b.wallet(t, seed.CodeAgency), Reference: "rest"})
	require.NoError(t, err)
	s = b.of(t, seed.CodeAgency)
	require.EqualValues(t, 1_000_00, s.Outstanding(), "a reversed payment does not count")
	payments, err := b.Payments(t.Context(), s.ID)
	require.NoError(t, err)
	require.Len(t, payments, 2)
	require.True(t, payments[1].Reversed)
	b.requireSound(t)
}

// A payment is one that the week after the settlement counts.
func TestWhatPaysASettlement(t *testing.T) {
	t.Parallel()
	b := setup(t)
	early := b.deposit(t, seed.CodeAgency, 10_00)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	s := b.of(t, seed.CodeAgency)
	require.EqualValues(t, 10_00, s.Payments)
	require.EqualValues(t, 1_040_00, s.Due)
	link := func(id uuid.UUID) error {
		_, _, err := b.Link(t.Context(), b.by, &weekly.LinkRequest{ID: s.ID, MovementID: id})
		return err
	}
	inside := b.transferFromAgency(t)
	other := b.deposit(t, seed.CodeOtherAgency, 5_00)
	good := b.deposit(t, seed.CodeTicketPoint, 7_00)
	require.ErrorIs(t, link(good.ID), weekly.ErrUnconfirmed)
	_, _, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "r"})
	require.ErrorIs(t, err, weekly.ErrUnconfirmed)
	b.confirmAll(t)
	for name, id := range map[string]uuid.UUID{"of the week itself": early.ID, "within the part of the tree": inside, "of another branch": other.ID, "no movement": uuid.New()} {
		require.ErrorIs(t, link(id), weekly.ErrNoPayment, name)
	}
	require.NoError(t, link(good.ID), "a deposit on a wallet below")

	own := b.callerOf(t, seed.CodeAgency)
	_, _, err = b.Pay(t.Context(), own, &weekly.PayRequest{ID: s.ID, Reference: "own"})
	require.ErrorIs(t, err, weekly.ErrNotAbove)
	_, _, err = b.Confirm(t.Context(), own, &weekly.ConfirmRequest{ID: s.ID})
	require.ErrorIs(t, err, weekly.ErrOperatorOnly)
	_, err = b.Get(t.Context(), b.callerOf(t, seed.CodeOtherAgency), s.ID)
	require.ErrorIs(t, err, weekly.ErrNotFound)

	late := b.deposit(t, seed.CodeAgency, 20_00)
	b.nextWeek()
	b.draft(t)
	b.confirmAll(t)
	next := b.of(t, seed.CodeAgency)
	require.EqualValues(t, 27_00, next.Payments)
	require.Equal(t, b.short(t, seed.CodeAgency), next.Balance())
	require.NoError(t, link(late.ID), "the week after counts it")
	_, _, err = b.Link(t.Context(), b.by, &weekly.LinkRequest{ID: next.ID, MovementID: late.ID})
	require.ErrorIs(t, err, weekly.ErrNoPayment)
	require.ErrorIs(t, link(b.deposit(t, seed.CodeAgency, 1_00).ID), weekly.ErrNoPayment, "it pays the next settlement")
	_, _, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "carried"})
	require.ErrorIs(t, err, weekly.ErrCarried)
	b.requireSound(t)
}

// While a week that is over is not drafted, a payment would count in neither of the two settlements that are open to it.
func TestAPaymentWaitsForTheDraftOfAWeekThatIsOver(t *testing.T) {
	t.Parallel()
	b := owing(t)
	s := b.of(t, seed.CodeAgency)
	b.nextWeek()
	_, _, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "r", IdempotencyKey: "k"})
	require.ErrorIs(t, err, weekly.ErrUndrafted)
	require.Zero(t, b.Number(t, `SELECT count(*) FROM wallet_movements`))
	deposit := b.deposit(t, seed.CodeAgency, 50_00)
	_, _, err = b.Link(t.Context(), b.by, &weekly.LinkRequest{ID: s.ID, MovementID: deposit.ID})
	require.ErrorIs(t, err, weekly.ErrNoPayment)

	b.draft(t)
	b.confirmAll(t)
	next := b.of(t, seed.CodeAgency)
	require.Equal(t, s.Balance(), next.Previous)
	_, _, err = b.Link(t.Context(), b.by, &weekly.LinkRequest{ID: next.ID, MovementID: deposit.ID})
	require.NoError(t, err)
	paid, _, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: next.ID, Reference: "r", IdempotencyKey: "k"})
	require.NoError(t, err)
	require.Zero(t, paid.Outstanding())
	require.Zero(t, b.short(t, seed.CodeAgency))
	b.requireSound(t)
}

// A list by state reads few settlements.
func TestSettlementsByState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	list := func(f weekly.Filter) int {
		f.Limit = 100
		found, total, err := b.List(t.Context(), b.by, &f)
		require.NoError(t, err)
		require.Len(t, found, int(total))
		return len(found)
	}
	all := list(weekly.Filter{})
	require.Equal(t, all, list(weekly.Filter{Status: weekly.Draft}))
	b.confirmAll(t)
	require.Zero(t, list(weekly.Filter{Status: weekly.Draft}))
	s := b.of(t, seed.CodeAgency)
	_, _, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "r"})
	require.NoError(t, err)
	require.Equal(t, 1, list(weekly.Filter{Status: weekly.Paid, Week: s.Week}))
	require.Equal(t, all-1, list(weekly.Filter{Status: weekly.Confirmed}))
	b.nextWeek()
	b.draft(t)
	require.Equal(t, all-1, list(weekly.Filter{Status: weekly.Carried, From: s.Week, To: s.Week}))
	require.Zero(t, list(weekly.Filter{Status: weekly.Confirmed}))
	_, _, err = b.List(t.Context(), b.by, &weekly.Filter{Status: weekly.Paid, Limit: 1})
	require.ErrorIs(t, err, weekly.ErrStatusRange)
}

// transferFromAgency transfers money from the agency to its group.
func (b *bundle) transferFromAgency(t testing.TB) uuid.UUID {
	t.Helper()
	r := &ledger.MovementRequest{WalletID: b.wallet(t, seed.CodeGroup), Amount: "3.00", Reference: "inside"}
	m, _, err := b.Ledger.Transfer(t.Context(), b.by, r, ledger.FromParent)
	require.NoError(t, err)
	return m.ID
}

// Fifty payments of all that is left pay once; fifty confirmations book once.
func TestOneOfFiftyPays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	for name, code := range map[string]string{"one key": seed.CodeAgency, "fifty keys": seed.CodeGroup} {
		s := b.of(t, code)
		require.Equal(t, answers{"one key": {50, 0}, "fifty keys": {1, 49}}[name], atOnce(t, name, func(key string) error {
			_, _, err := b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: s.ID, IdempotencyKey: key})
			return err
		}, weekly.ErrConfirmed), name)
		require.Equal(t, answers{"one key": {50, 0}, "fifty keys": {1, 49}}[name], atOnce(t, name, func(key string) error {
			reference := "all"
			if name == "fifty keys" {
				reference = key
			}
			_, _, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: reference, IdempotencyKey: "p" + key})
			return err
		}, weekly.ErrNothingDue, weekly.ErrOutstanding), name)
		require.Equal(t, weekly.Paid, b.of(t, code).Status, name)
	}
	require.EqualValues(t, 2, b.Number(t, `SELECT count(*) FROM wallet_movements`))
	require.EqualValues(t, 2, b.Number(t, `SELECT count(*) FROM transactions WHERE type = 'commission' AND ticket_id IS NULL`))
	b.requireSound(t)
}

// answers are the numbers of successes and of refusals.
type answers map[string][2]int64

// atOnce runs an operation fifty times at once, with one key or with fifty, and counts successes and refusals.
func atOnce(t *testing.T, name string, run func(key string) error, refusals ...error) [2]int64 {
	t.Helper()
	var done, refused atomic.Int64
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			key := "k"
			if name == "fifty keys" {
				key = strconv.Itoa(i)
			}
			err := run(key)
			if err == nil {
				done.Add(1)
				return
			}
			known := false
			for _, refusal := range refusals {
				known = known || errors.Is(err, refusal)
			}
			assert.True(t, known, "%v", err)
			refused.Add(1)
		})
	}
	group.Wait()
	return [2]int64{done.Load(), refused.Load()}
}
