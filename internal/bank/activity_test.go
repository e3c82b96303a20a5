package bank

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/internal/alerts"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
)

// Every change by a person has an entry in its own transaction; a refused one has none.
func TestChangesAreLogged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := activity.WithActor(t.Context(), activity.Actor{UserID: b.admin.UserID, Name: "Ana"})
	stranger := b.admin
	stranger.Scope = testkit.Scope(b.admin.Scope.Path() + uuid.NewString() + "/")
	require.False(t, b.notify(t))
	require.False(t, b.notify(t, "Referencia", "777777"))
	payments, _, err := b.Payments(ctx, b.admin, &PaymentFilter{Limit: 2})
	require.NoError(t, err)
	events, _, err := b.Events(ctx, b.admin, &EventFilter{Limit: 1})
	require.NoError(t, err)
	blocked := call(PhaseQuery, queryBody())
	blocked.Peer = "198.51.100.1:1"
	b.Answer(ctx, blocked)
	require.NoError(t, b.Flush(ctx))
	found, _, err := b.alerts.List(ctx, b.admin, &alerts.Filter{Limit: 1})
	require.NoError(t, err)
	require.Len(t, found, 1)

	csv := []byte("date,reference,amount\n2026-03-02,1234,1\n")
	bank := Bank{Code: "9990", Name: "Nuevo"}
	for range 2 { // the second time everything but the two that can be repeated is refused
		_, _, err = b.Assign(ctx, b.admin, &Resolution{PaymentID: payments[0].ID, EntityID: pointID(), IdempotencyKey: "k"})
		require.NoError(t, err)
		_, _, err = b.Refund(ctx, b.admin, &Resolution{PaymentID: payments[1].ID, Note: "back", IdempotencyKey: "r"})
		require.NoError(t, err)
		_, _ = b.ImportStatement(ctx, b.admin, csv)
		_ = b.AddBank(ctx, b.admin, bank)
		_ = b.AddNetworkCode(ctx, b.admin, "Z9", "Otro")
	}
	require.NoError(t, b.UpdateBank(ctx, b.admin, Bank{Code: "9990", Name: "Nuevo", Status: "retired"}))
	require.NoError(t, b.DeleteBank(ctx, b.admin, "9990"))
	require.ErrorIs(t, b.DeleteBank(ctx, b.admin, "9990"), ErrBankNotFound)
	require.ErrorIs(t, b.UpdateBank(ctx, b.admin, bank), ErrBankNotFound)
	require.NoError(t, b.UpdateNetworkCode(ctx, b.admin, "Z9", "Algo"))
	require.NoError(t, b.DeleteNetworkCode(ctx, b.admin, "Z9"))
	require.NoError(t, b.EraseEvent(ctx, b.admin, events[0].ID))
	require.ErrorIs(t, b.EraseEvent(ctx, b.admin, uuid.New()), ErrEventNotFound)
	require.NoError(t, b.alerts.Acknowledge(ctx, b.admin, found[0].ID))
	require.ErrorIs(t, b.alerts.Acknowledge(ctx, b.admin, uuid.New()), alerts.ErrNotFound)
	require.ErrorIs(t, b.AddBank(ctx, stranger, bank), ErrOperatorOnly)
	require.ErrorIs(t, b.alerts.Acknowledge(ctx, stranger, found[0].ID), alerts.ErrOperatorOnly)

	trail := activity.New(b.PG, b.Clock)
	log, _, err := trail.List(ctx, b.admin, &activity.Filter{Oldest: true, Limit: 50})
	require.NoError(t, err)
	var did []string
	for _, l := range log {
		require.Equal(t, []any{b.admin.UserID, "Ana", fixture.RootID}, []any{l.UserID, l.UserName, l.EntityID})
		did = append(did, l.Module+" "+l.Action+" "+string(l.Details))
	}
	require.Equal(t, []string{"assign", "refund", "import", "create", "create", "update", "delete", "update", "delete", "erase", "acknowledge"}, actions(log))
	require.Equal(t, `banks update {"changes": {"status": {"new": "retired", "old": "active"}}}`, did[5])
	require.Equal(t, `network_codes delete {"changes": {"meaning": {"new": null, "old": "Algo"}, "approved": {"new": null, "old": false}}}`, did[8])
	require.Contains(t, did[0], `"reference": "777777"`)
	require.Contains(t, did[0], `"amount": "150.00"`)
	require.Contains(t, did[1], `"note": "back"`)
	proof, err := trail.Verify(ctx)
	require.NoError(t, err)
	require.Zero(t, proof.Broken)
}

func actions(log []activity.Log) []string {
	list := make([]string, len(log))
	for i := range log {
		list[i] = log[i].Action
	}
	return list
}
