package sales_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/messaging"
	"banca/storage"
)

// together is the number of receipts that are drawn at once.
const together = 8

// buyers sells tickets to buyers with a telephone.
func (b *bundle) buyers(t testing.TB) []uuid.UUID {
	t.Helper()
	ids := make([]uuid.UUID, together)
	for i := range ids {
		ids[i] = b.buy(t)
	}
	return ids
}

// renderAll draws receipts at once and returns the errors of all of them.
func (b *bundle) renderAll(t testing.TB, ids []uuid.UUID) error {
	t.Helper()
	errs := make([]error, len(ids))
	var running sync.WaitGroup
	for i, id := range ids {
		running.Go(func() { errs[i] = b.RenderReceipt(t.Context(), id) })
	}
	running.Wait()
	return errors.Join(errs...)
}

// requireWhole requires each ticket to have its picture, one message and one task to send it, or none of them. With all,
// none may lack them.
func (b *bundle) requireWhole(t testing.TB, ids []uuid.UUID, all bool) {
	t.Helper()
	const parts = `SELECT t.image_url IS NOT NULL AS drawn, count(DISTINCT m.id) AS messages, count(o.id) AS sends FROM tickets t
		LEFT JOIN message_logs m ON m.ticket_id = t.id LEFT JOIN outbox o ON o.kind = 'message.send' AND o.payload->>'message_id' = m.id::text
		WHERE t.id = ANY($1) GROUP BY t.id, t.image_url`
	require.EqualValues(t, len(ids), b.Number(t, `SELECT count(*) FROM (`+parts+`) x WHERE (drawn, messages, sends) = (true, 1, 1)
		OR NOT $2 AND (drawn, messages, sends) = (false, 0, 0)`, storage.UUIDs(ids), all))
}

// Receipts whose connection breaks at any statement that they share, the commit included, are stored whole or not at all,
// and whole once they run again.
func TestABrokenGroupOfReceiptsLeavesNoPart(t *testing.T) {
	t.Parallel()
	b := setup(t)
	breaker := b.Env.Breaker(t)
	broken := start(t, fixture.Over(b.Env, breaker.PG, b.Redis, b.Clock))
	broken.Messages = messaging.New(messaging.Deps{Pool: breaker.PG.Pool, Org: broken.Org, Clock: b.Clock, Log: b.Env.Log})
	require.NoError(t, broken.renderAll(t, b.buyers(t))) // fills its caches
	var all, ids []uuid.UUID
	breaks := breaker.Each(t, func() error {
		ids = b.buyers(t)
		all = append(all, ids...)
		return broken.renderAll(t, ids)
	}, func(error) { b.requireWhole(t, ids, false) })
	require.Greater(t, breaks, 4)
	for ids := range slices.Chunk(all, together) {
		require.NoError(t, broken.renderAll(t, ids))
	}
	b.requireWhole(t, all, true)
}

// A ticket that another transaction has locked, and one that does not exist, hold up no other ticket of their group.
func TestALockedTicketWaitsAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.buyers(t)
	tx, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT 1 FROM tickets WHERE id = $1 FOR UPDATE`, ids[3])
	require.NoError(t, err)
	late := make(chan error, 1)
	go func() { late <- b.RenderReceipt(t.Context(), ids[3]) }()
	others := slices.Delete(slices.Clone(ids), 3, 4)
	unknown := make(chan error, 1)
	go func() { unknown <- b.RenderReceipt(t.Context(), uuid.New()) }()
	assert.NoError(t, b.renderAll(t, others))
	require.Error(t, <-unknown)
	b.requireWhole(t, others, true)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, <-late)
	b.requireWhole(t, ids, true)
}

// A buyer who is deleted while the receipt is uploaded gets no message.
func TestADeletedBuyerGetsNoReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.buy(t)
	b.Objects = &shop{Objects: b.Env.Objects, after: func() {
		b.Exec(t, `UPDATE customers SET name = '', search_name = '', phone = NULL, deleted_at = now()`)
	}}
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	b.requirePicture(t, id, 0, 0)
}
