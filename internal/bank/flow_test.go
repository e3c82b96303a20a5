package bank

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/models"
)

// The whole story: announced, asked about, held, notified, credited, traced.
func TestQueryThenNotificationCredits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.expect(t)
	require.True(t, b.query(t))
	held, err := b.Request(t.Context(), b.admin, r.ID)
	require.NoError(t, err)
	require.Equal(t, b.Clock.Now().Add(15*time.Minute), held.HeldUntil)
	require.Zero(t, b.point(t), "a query never credits")

	b.Clock.Advance(time.Minute)
	require.True(t, b.notify(t, "TelefonoEmisor", "04149998877"))
	require.EqualValues(t, 150_00, b.point(t))
	require.EqualValues(t, -150_00, b.balance(t, fixture.RootID, "external"))
	b.requireSound(t)

	p := b.onlyPayment(t)
	require.Equal(t, models.PaymentCredited, p.State)
	require.Equal(t, r.ID, p.RequestID)
	paid, err := b.Request(t.Context(), b.admin, r.ID)
	require.NoError(t, err)
	require.Equal(t, models.RequestPaid, paid.Status)
	require.Equal(t, p.ID, paid.PaymentID)

	query, _, err := b.Events(t.Context(), b.admin, &EventFilter{Phase: PhaseQuery, Limit: 10})
	require.NoError(t, err)
	require.Len(t, query, 1)
	for _, id := range []uuid.UUID{query[0].ID, p.EventID} {
		trace, err := b.Trace(t.Context(), b.admin, id)
		require.NoError(t, err)
		require.Equal(t, OutcomeHeld, trace.Query.Outcome)
		require.Equal(t, r.ID, trace.Request.ID)
		require.Equal(t, OutcomeCredited, trace.Notification.Outcome)
		require.Equal(t, p.ID, trace.Payment.ID)
		require.EqualValues(t, 150_00, trace.Deposit.Amount)
		require.JSONEq(t, notifyBody("TelefonoEmisor", "04149998877"), string(trace.Notification.Raw))
		require.Equal(t, "+584149998877", trace.Notification.Fields["TelefonoEmisor"])
	}
	require.Equal(t, 1, b.count(t, "outbox", "kind = 'bank.notify'"))
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.ask(t, http.StatusBadRequest, call(PhaseQuery, "{}")))
}
