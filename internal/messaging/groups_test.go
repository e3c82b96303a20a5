package messaging_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/models"
)

const tick = 5 * time.Millisecond

// meeting is a driver that delivers once as many messages are with it as it waits for, and counts the deliveries of
// each.
type meeting struct {
	mu    sync.Mutex
	left  int           // messages that it waits for
	met   chan struct{} // closed when it waits for none
	sends map[uuid.UUID]int
}

func newMeeting(n int) *meeting {
	return &meeting{left: n, met: make(chan struct{}), sends: map[uuid.UUID]int{}}
}

func (m *meeting) send(ctx context.Context, message channel.Message) (channel.Receipt, error) {
	m.mu.Lock()
	m.sends[message.ID]++
	m.mu.Unlock()
	m.arrive()
	select {
	case <-m.met:
		return channel.Receipt{ProviderID: message.ID.String()}, nil
	case <-ctx.Done():
		return channel.Receipt{}, ctx.Err()
	}
}

// arrive counts a message that is with the driver, or will not get to it.
func (m *meeting) arrive() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left == 0 {
		close(m.met)
	}
}

func (m *meeting) delivered(id uuid.UUID) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sends[id]
}

// await waits until messages are with the driver.
func (m *meeting) await(t *testing.T, ids []uuid.UUID) {
	t.Helper()
	require.Eventually(t, func() bool {
		return !slices.ContainsFunc(ids, func(id uuid.UUID) bool { return m.delivered(id) == 0 })
	}, testkit.WaitTimeout, tick)
}

// queueAll queues receipts.
func (b *bundle) queueAll(t *testing.T, n int) []uuid.UUID {
	t.Helper()
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = b.queue(t)
	}
	return ids
}

// lock holds the lock of a message, as a transaction that changes it, until the returned function is called.
func (b *bundle) lock(t *testing.T, id uuid.UUID) (release func()) {
	t.Helper()
	tx, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `UPDATE message_logs SET updated_at = now() WHERE id = $1`, id)
	require.NoError(t, err)
	release = sync.OnceFunc(func() { assert.NoError(t, tx.Commit(context.WithoutCancel(t.Context()))) })
	t.Cleanup(release)
	return release
}

// within returns a context that ends before the lock of a message costs a group its time.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A message that another transaction has locked delays no other one of its group: neither their leases nor their
// results.
func TestAGroupWaitsForNoLockedMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.queueAll(t, 4)
	release := b.lock(t, ids[1])
	others := []uuid.UUID{ids[0], ids[2], ids[3]}
	leased, again, err := b.LeaseGroup(within(t), ids...)
	require.NoError(t, err)
	require.Equal(t, others, leased)
	require.Equal(t, ids[1:2], again)
	release()
	leased, again, err = b.LeaseGroup(within(t), ids[1])
	require.NoError(t, err)
	require.Equal(t, ids[1:2], leased)
	require.Empty(t, again)

	release = b.lock(t, ids[1])
	moved, again, overlaps, err := b.SaveGroup(within(t), ids...)
	require.NoError(t, err)
	require.Equal(t, others, moved)
	require.Equal(t, ids[1:2], again)
	require.Empty(t, overlaps)
	require.Equal(t, models.MessageSending, b.get(t, ids[1]).Status)
	require.Empty(t, b.get(t, ids[1]).Tries)
	release()
	moved, again, _, err = b.SaveGroup(within(t), ids[1])
	require.NoError(t, err)
	require.Equal(t, ids[1:2], moved)
	require.Empty(t, again)
	for _, id := range ids {
		require.Equal(t, models.MessageSent, b.get(t, id).Status)
		require.Len(t, b.get(t, id).Tries, 1)
	}
}

// Messages that are locked for a moment while they are leased and while their results are saved are sent by the same
// runs of their tasks.
func TestAMessageLockedForAMomentIsSentByItsRun(t *testing.T) {
	t.Parallel()
	const runs = 8
	m := newMeeting(runs + 1) // the test is the last to arrive
	b := setup(t, with(m.send))
	ids := b.queueAll(t, runs)
	release := b.lock(t, ids[3])
	var sends sync.WaitGroup
	for _, id := range ids {
		sends.Go(func() { assert.NoError(t, b.Send(t.Context(), id)) })
	}
	b.awaitWaiting(t)
	release()
	m.await(t, ids)
	release = b.lock(t, ids[4])
	m.arrive()
	b.awaitWaiting(t)
	release()
	sends.Wait()
	for _, id := range ids {
		require.Equal(t, models.MessageSent, b.get(t, id).Status)
		require.Equal(t, 1, m.delivered(id))
	}
}

// awaitWaiting waits until a session waits for a lock.
func (b *bundle) awaitWaiting(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return b.WaitingForLocks(t) == 1 }, testkit.WaitTimeout, tick)
}

// A lease that is granted after the task's end is given back, and is no attempt.
func TestALeaseAfterTheEndOfItsTaskIsGivenBack(t *testing.T) {
	t.Parallel()
	m := newMeeting(4)
	b := setup(t, with(m.send))
	ids := b.queueAll(t, 4)
	var sends sync.WaitGroup
	for _, id := range ids[:3] { // share their statements with the fourth
		sends.Go(func() { assert.NoError(t, b.Send(t.Context(), id)) })
	}
	m.await(t, ids[:3])
	release := b.lock(t, ids[3])
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Send(ctx, ids[3]) }()
	b.awaitWaiting(t)
	cancel()
	release()
	require.ErrorIs(t, <-ended, context.Canceled)
	message := b.get(t, ids[3])
	require.Equal(t, []any{models.MessageQueued, 0, 0}, []any{message.Status, message.Attempts, len(message.Tries)})
	require.NoError(t, b.Send(t.Context(), ids[3]))
	sends.Wait()
	message = b.get(t, ids[3])
	require.Equal(t, []any{models.MessageSent, 1, 1}, []any{message.Status, message.Attempts, m.delivered(ids[3])})
}

// Reports that a group of results has applied are not looked for again, and the others are left to their callers.
func TestAGroupNamesTheReportsThatItDidNotSee(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.queueAll(t, 3)
	_, _, err := b.LeaseGroup(t.Context(), ids...)
	require.NoError(t, err)
	for _, id := range ids[:2] {
		r := report(id.String(), models.MessageDelivered)
		if id == ids[0] {
			r.MessageID = id
		}
		require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{r}))
	}
	tx, err := b.PG.Pool.Begin(t.Context()) // assigns the report at the same time
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(context.WithoutCancel(t.Context()))) }()
	_, err = tx.Exec(t.Context(), `SELECT FROM message_reports WHERE provider_id = $1 FOR UPDATE`, ids[1].String())
	require.NoError(t, err)
	moved, again, overlaps, err := b.SaveGroup(within(t), ids...)
	require.NoError(t, err)
	require.Equal(t, ids, moved)
	require.Empty(t, again)
	require.Equal(t, ids[1:2], overlaps)
	require.Equal(t, models.MessageDelivered, b.get(t, ids[0]).Status)
}

// A message's task belongs to the trace of the message's own request, not to the request that shares its transaction.
func TestAMessageKeepsItsTrace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	message := func(trace string) *messaging.Outgoing {
		return &messaging.Outgoing{
			EntityID: b.entity, Kind: models.MessageReceipt, Recipient: customer, Body: "x", Trace: trace,
		}
	}
	require.NoError(t, pgx.BeginFunc(t.Context(), b.PG.Pool, func(tx pgx.Tx) error {
		_, err := b.QueueTx(t.Context(), tx, message(""), message(trace))
		return err
	}))
	rows, err := b.PG.Pool.Query(
		t.Context(), `SELECT coalesce(trace, '') FROM outbox WHERE kind = 'message.send' ORDER BY 1`,
	)
	require.NoError(t, err)
	traces, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"", trace}, traces)
}

// Eight runs share their statements, and every connection breaks at each statement in turn. No message is delivered
// twice, a message is queued only if it was not delivered and sent only if it was, and the others become unknown.
func TestABrokenGroupDeliversNothingTwice(t *testing.T) {
	t.Parallel()
	const runs = 8
	var m *meeting
	b := setup(t, with(func(ctx context.Context, message channel.Message) (channel.Receipt, error) {
		return m.send(ctx, message)
	}))
	breaker := b.Breaker(t)
	broken := b.start(t, b.config(func(c *messaging.Deps) { c.Pool, c.Commits = breaker.PG.Pool, breaker.PG.Commits }))
	var ids []uuid.UUID
	breaks := breaker.Each(t, func() error {
		ids, m = b.queueAll(t, runs), newMeeting(runs)
		errs := make([]error, runs)
		var sends sync.WaitGroup
		for i, id := range ids {
			sends.Go(func() {
				if errs[i] = broken.Send(t.Context(), id); m.delivered(id) == 0 {
					m.arrive()
				}
			})
		}
		sends.Wait()
		return errors.Join(errs...)
	}, func(error) { b.requireDeliveredOnce(t, m, ids) })
	require.Greater(t, breaks, 4)
	for _, id := range ids {
		require.Equal(t, models.MessageSent, b.get(t, id).Status)
	}
}

// requireDeliveredOnce checks the states of messages after a break, and after further runs and the end of their leases.
func (b *bundle) requireDeliveredOnce(t *testing.T, m *meeting, ids []uuid.UUID) {
	t.Helper()
	for _, id := range ids {
		switch status := b.get(t, id).Status; status {
		case models.MessageQueued:
			require.Zero(t, m.delivered(id))
		case models.MessageSent:
			require.Equal(t, 1, m.delivered(id))
		default:
			require.Equal(t, models.MessageSending, status)
			require.LessOrEqual(t, m.delivered(id), 1)
		}
		for range 2 {
			_ = b.Send(t.Context(), id)
		}
		require.LessOrEqual(t, m.delivered(id), 1)
	}
	b.exec(t, `UPDATE message_logs SET lease_until = now() - interval '1 second' WHERE status = 'sending'`)
	require.NoError(t, b.Sweep(t.Context()))
	for _, id := range ids {
		require.Contains(t, []string{models.MessageSent, models.MessageUnknown}, b.get(t, id).Status)
		_ = b.Send(t.Context(), id)
		require.LessOrEqual(t, m.delivered(id), 1)
	}
}
