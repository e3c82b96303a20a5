package bank

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A notification that finds its queue full is answered 503 and writes nothing; the bank sends it again.
func TestAFullQueueCreditsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	full := newService(b.PG, b.Clock, b.Env.Log, options()) // Run is not called
	limits := groupLimits()
	limits.GroupFrom, limits.QueueSize = 0, 0
	full.group = full.newGroup(limits)
	reply := full.Answer(t.Context(), call(PhaseNotification, notifyBody()))
	require.Equal(t, http.StatusServiceUnavailable, reply.Status)
	require.JSONEq(t, `{"abono":false}`, string(reply.Body))
	require.Zero(t, b.count(t, "bank_payments", "true"))
	require.True(t, b.notify(t))
	b.requireSound(t)
}
