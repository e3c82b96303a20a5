package bank

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestAssignOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t))
	p := b.onlyPayment(t)
	assign := func(key, note string) error {
		_, _, err := b.Assign(t.Context(), b.admin, &Resolution{PaymentID: p.ID, EntityID: pointID(), Note: note, IdempotencyKey: key})
		return err
	}
	var done atomic.Int64
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() {
			if assign("once", "a") == nil {
				done.Add(1)
			}
		})
	}
	running.Wait()
	require.EqualValues(t, 20, done.Load(), "repeats of one key are one request")
	require.EqualValues(t, 150_00, b.point(t))
	require.ErrorIs(t, assign("once", "b"), idempotency.ErrKeyReused)
	require.ErrorIs(t, assign("twice", "a"), ErrResolved)
	require.ErrorIs(t, assign("", "a"), ErrResolved)
	_, _, err := b.Refund(t.Context(), b.admin, &Resolution{PaymentID: p.ID})
	require.ErrorIs(t, err, ErrResolved)
	require.False(t, b.notify(t), "the bank is told what it was told before")
	require.Equal(t, models.PaymentAssigned, b.onlyPayment(t).State)
	b.requireSound(t)
}

// A repeat of a resolution is answered as before, even if its entity has changed.
func TestARepeatedAssignmentIsAnsweredAfterItsEntityChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t))
	p := b.onlyPayment(t)
	assign := func(entity uuid.UUID) (bool, error) {
		_, replayed, err := b.Assign(t.Context(), b.admin, &Resolution{PaymentID: p.ID, EntityID: entity, IdempotencyKey: "k"})
		return replayed, err
	}
	_, err := assign(pointID())
	require.NoError(t, err)
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE entities SET status = 'suspended'`)
	require.NoError(t, err)
	b.start(t)
	replayed, err := assign(pointID())
	require.NoError(t, err)
	require.True(t, replayed)
	_, err = assign(uuid.New())
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	require.EqualValues(t, 150_00, b.point(t))
	b.requireSound(t)
}

func TestAssignToARequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t))
	p := b.onlyPayment(t)
	other := b.expect(t, func(n *NewRequest) { n.Amount = "1.00" })
	right := b.expect(t)
	to := func(id uuid.UUID) error {
		_, _, err := b.Assign(t.Context(), b.admin, &Resolution{PaymentID: p.ID, RequestID: id})
		return err
	}
	require.ErrorIs(t, to(uuid.New()), ErrRequestNotFound)
	require.ErrorIs(t, to(other.ID), ErrNoTarget, "another amount")
	require.ErrorIs(t, to(uuid.Nil), ErrNoTarget)
	require.NoError(t, to(right.ID))
	require.Equal(t, models.RequestPaid, mustRequest(t, b, right.ID).Status)
	require.False(t, b.notify(t, "Referencia", "9876"))
	list, _, err := b.Payments(t.Context(), b.admin, &PaymentFilter{States: Unreconciled(), Limit: 1})
	require.NoError(t, err)
	p = &list[0]
	require.ErrorIs(t, to(right.ID), ErrRequestClosed)
	_, _, err = b.Assign(t.Context(), b.admin, &Resolution{PaymentID: p.ID, EntityID: uuid.New()})
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	require.EqualValues(t, 150_00, b.point(t))
	b.requireSound(t)
}

// A request that was cancelled stays so: what its cancellation was answered is not taken back.
func TestAClosedRequestIsNotAssigned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t))
	p := b.onlyPayment(t)
	r := b.expect(t)
	_, err := b.CancelRequest(t.Context(), b.admin, r.ID)
	require.NoError(t, err)
	_, _, err = b.Assign(t.Context(), b.admin, &Resolution{PaymentID: p.ID, RequestID: r.ID})
	require.ErrorIs(t, err, ErrRequestClosed)
	require.Equal(t, models.RequestCancelled, mustRequest(t, b, r.ID).Status)
	require.Zero(t, b.point(t))
}

func TestRefundOfWhatWasNeverBooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t))
	p, replayed, err := b.Refund(t.Context(), b.admin, &Resolution{PaymentID: b.onlyPayment(t).ID, Note: "the bank sent it back"})
	require.NoError(t, err)
	require.False(t, replayed)
	require.Equal(t, models.PaymentRefunded, p.State)
	require.Equal(t, b.admin.UserID, p.ResolvedBy)
	require.Zero(t, b.count(t, "transactions", "true"))
	agency := caller.Caller{Scope: testkit.Scope(b.admin.Scope.Path() + seed.ID("entity", seed.CodeSuperAgency).String() + "/")}
	_, _, err = b.Refund(t.Context(), agency, &Resolution{PaymentID: p.ID})
	require.ErrorIs(t, err, ErrOperatorOnly)
}

// After a change of the bank's currency, a payment in the old one is not booked back out of the wallets of the new one.
func TestARefundInAnotherCurrencyIsRefused(t *testing.T) {
	t.Parallel()
	accept := func(o *Options) { o.Unmatched = UnmatchedAccept }
	b := setup(t, accept)
	require.True(t, b.notify(t))
	p := b.onlyPayment(t)
	require.Equal(t, models.PaymentSuspense, p.State)
	b.start(t, accept, func(o *Options) { o.Currency = "USD" })
	_, _, err := b.Refund(t.Context(), b.admin, &Resolution{PaymentID: p.ID, Note: "back"})
	require.ErrorIs(t, err, ledger.ErrCurrencyMismatch)
	require.Equal(t, models.PaymentSuspense, b.onlyPayment(t).State)
	b.start(t, accept)
	_, _, err = b.Refund(t.Context(), b.admin, &Resolution{PaymentID: p.ID, Note: "back"})
	require.NoError(t, err)
	b.requireSound(t)
}

// After a change of the bank's currency, requests in the old one are neither found nor paid.
func TestARequestInAnotherCurrencyIsNotPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.expect(t)
	b.start(t, func(o *Options) { o.Currency = "USD" })
	before := b.point(t)
	require.False(t, b.query(t))
	b.notify(t)
	require.Equal(t, before, b.point(t))
	p := b.onlyPayment(t)
	require.Equal(t, models.PaymentUnmatched, p.State)
	_, _, err := b.Assign(t.Context(), b.admin, &Resolution{PaymentID: p.ID, RequestID: r.ID, IdempotencyKey: "assign"})
	require.ErrorIs(t, err, ErrNoTarget)
	require.Equal(t, 1, b.count(t, "payment_requests", "status = 'open'"))
	b.requireSound(t)
}
