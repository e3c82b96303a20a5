package bank

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/setup/seed"
	"banca/models"
)

func TestQueryAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.False(t, b.query(t, "IdCliente", "V99888777"), "nobody knows him")
	require.False(t, b.query(t, "TelefonoComercio", "04149999999"), "not ours")
	require.False(t, b.query(t, "Monto", "150.01"), "nothing is expected of this amount")
	require.False(t, b.query(t, "IdCliente", "J11222333"), "another letter, another client")
	require.True(t, b.query(t, "IdCliente", "011222333"), "padded and without a letter")
	require.True(t, b.query(t, "TelefonoComercio", "584141112233"))
	require.Equal(t, 1, b.count(t, "bank_events", "outcome = 'held' AND repeats = 1"))
	require.Equal(t, 4, b.count(t, "bank_events", "outcome = 'refused'"))
}

func TestARepeatedQueryIsAnsweredTrueDuringTheHold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	require.True(t, b.query(t))
	b.expect(t)
	b.Clock.Advance(14 * time.Minute)
	require.True(t, b.query(t), "a second request does not change what was said")
	b.Clock.Advance(2 * time.Minute)
	require.False(t, b.query(t), "two fit now")
}

func TestSeveralMatchingRequestsDoNotMatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.expect(t)
	b.expect(t)
	require.False(t, b.query(t))
	_, err := b.CancelRequest(t.Context(), b.admin, first.ID)
	require.NoError(t, err)
	require.True(t, b.query(t))
}

// A request that is not live is not there: paid, cancelled, past its time, of a suspended entity, or of a
// cancelled ticket.
func TestOnlyLiveRequestsFit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.expect(t)
	require.True(t, b.query(t))
	_, err := b.CancelRequest(t.Context(), b.admin, r.ID)
	require.ErrorIs(t, err, ErrRequestHeld, "the client is paying")
	b.Clock.Advance(16 * time.Minute)
	_, err = b.CancelRequest(t.Context(), b.admin, r.ID)
	require.NoError(t, err)
	require.False(t, b.query(t))
	b.expect(t, func(n *NewRequest) { n.ExpiresIn = time.Hour })
	b.Clock.Advance(time.Hour)
	require.False(t, b.query(t))
	n, err := b.ExpireRequests(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	r = b.expect(t)
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE entities SET status = 'suspended' WHERE id = $1`, pointID())
	require.NoError(t, err)
	require.False(t, b.query(t))
	require.False(t, b.query(t, "IdCliente", "V12345678", "Monto", "10.00"), "nor may it top up")
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE entities SET status = 'active' WHERE id = $1`, pointID())
	require.NoError(t, err)
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE entities SET status = 'suspended' WHERE code = $1`, seed.CodeSuperAgency)
	require.NoError(t, err)
	require.False(t, b.query(t), "nor while one above it is suspended")
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE entities SET status = 'active' WHERE code = $1`, seed.CodeSuperAgency)
	require.NoError(t, err)
	require.True(t, b.query(t))
	b.Clock.Advance(14 * time.Minute)
	n, err = b.ExpireRequests(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "a held request is not closed")
	require.Equal(t, models.RequestOpen, mustRequest(t, b, r.ID).Status)
}

func mustRequest(t *testing.T, b *bundle, id uuid.UUID) *Request {
	t.Helper()
	r, err := b.Request(t.Context(), b.admin, id)
	require.NoError(t, err)
	return r
}

// An entity may pay into its own wallet without saying so before, within its bounds.
func TestOpenDeposits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	client := []any{"IdCliente", "V12345678", "Monto", "77.00"}
	require.True(t, b.query(t, client...))
	require.True(t, b.query(t, client...), "the same answer, and no second request")
	require.Equal(t, 1, b.count(t, "payment_requests", "origin = 'query' AND entity_id = $1", pointID()))
	require.True(t, b.notify(t, "Monto", "77.00"))
	require.EqualValues(t, 77_00, b.point(t))
	require.False(t, b.query(t, "IdCliente", "V12345678", "Monto", "0.50"), "below its bounds")
	require.False(t, b.query(t, "IdCliente", "V12345678", "Monto", "1000000.01"), "above them")

	_, err := b.PG.Pool.Exec(t.Context(), `UPDATE entities SET legal_info = '{"tax_id":"V12345678"}' WHERE code = $1`, seed.CodeTicketPoint2)
	require.NoError(t, err)
	require.False(t, b.query(t, "IdCliente", "V12345678", "Monto", "78.00"), "two entities of one owner")
	b.start(t, func(o *Options) { o.OpenDeposits = false })
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE entities SET legal_info = '{}' WHERE code = $1`, seed.CodeTicketPoint2)
	require.NoError(t, err)
	require.False(t, b.query(t, "IdCliente", "V12345678", "Monto", "79.00"))
	b.requireSound(t)
}

// Equal queries at once make one request.
func TestOpenDepositsAtOnce(t *testing.T) {
	t.Parallel()
	const queries, together = 30, 10 // those at once take turns under the client's lock, within the time of a call
	b := setup(t)
	var running sync.WaitGroup
	var yes atomic.Int64
	for range queries / together {
		for range together {
			running.Go(func() {
				if string(b.Answer(t.Context(), call(PhaseQuery, queryBody("IdCliente", "V12345678"))).Body) == `{"status":true}` {
					yes.Add(1)
				}
			})
		}
		running.Wait()
	}
	require.EqualValues(t, queries, yes.Load())
	require.Equal(t, 1, b.count(t, "payment_requests", "true"))
	require.Equal(t, 1, b.count(t, "bank_events", "outcome = 'opened' AND repeats = 29"))
}
