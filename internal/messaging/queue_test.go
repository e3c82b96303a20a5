package messaging_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/platform/caller"
	"banca/models"
)

func TestATicketHasOneReceiptMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket := uuid.New()
	var queues sync.WaitGroup
	var created atomic.Int64
	for range 50 {
		queues.Go(func() {
			_, fresh := b.queueFor(t, b.entity, ticket)
			if fresh {
				created.Add(1)
			}
		})
	}
	queues.Wait()
	assert.EqualValues(t, 1, created.Load())
	assert.Equal(t, 1, b.sendTasks(t))
}

// A message of a kind about a thing is queued once for each recipient.
func TestThereIsOneMessageAboutAThing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	about := uuid.New()
	var queues sync.WaitGroup
	var created atomic.Int64
	for i := range 50 {
		queues.Go(func() {
			m := &messaging.Outgoing{EntityID: b.entity, About: about, Kind: models.MessagePrize, Recipient: customer, Body: "x"}
			if i%2 == 1 {
				m.Kind = models.MessageCancellation
			}
			fresh, err := b.queueMessage(t, m)
			if assert.NoError(t, err); fresh {
				created.Add(1)
			}
		})
	}
	queues.Wait()
	assert.EqualValues(t, 2, created.Load())
	assert.Equal(t, 2, b.sendTasks(t))
}

func TestQueueRefusesUnsendable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		recipient, body, image string
		want                   error
	}{
		"no plus":       {"584141234567", "x", "", messaging.ErrInvalidRecipient},
		"no number":     {"+58abc", "x", "", messaging.ErrInvalidRecipient},
		"nothing":       {customer, "", "", messaging.ErrInvalidMessage},
		"too long":      {customer, strings.Repeat("ñ", 4097), "", messaging.ErrInvalidMessage},
		"long caption":  {customer, strings.Repeat("ñ", 1025), "https://127.0.0.1/r.png", messaging.ErrInvalidMessage},
		"strange image": {customer, "x", "file:///etc/passwd", messaging.ErrInvalidMessage},
	} {
		_, err := b.queueMessage(t, &messaging.Outgoing{EntityID: b.entity, Kind: models.MessageReceipt, Recipient: c.recipient, Body: c.body, ImageURL: c.image})
		require.ErrorIs(t, err, c.want, name)
	}
	assert.Zero(t, b.sendTasks(t))
}

func TestSweepFindsMessagesThatLostTheirTask(t *testing.T) {
	t.Parallel()
	woken := 0
	b := setup(t, func(c *messaging.Deps) { c.Wake = func() { woken++ } })
	lost, waiting := b.queue(t), b.queue(t)
	b.exec(t, "DELETE FROM outbox")
	b.exec(t, "UPDATE message_logs SET queued_at = now() - interval '1 hour' WHERE id = $1", lost)
	for range 3 {
		require.NoError(t, b.Sweep(t.Context()))
	}
	assert.Equal(t, 1, b.sendTasks(t))
	assert.Equal(t, 1, woken)
	assert.Equal(t, models.MessageQueued, b.get(t, waiting).Status)
}

func TestConcurrentResendsQueueOneMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.queue(t)
	require.ErrorIs(t, b.Resend(t.Context(), testkit.Within(b.path), id), messaging.ErrNotResendable, "it is queued")
	b.exec(t, "UPDATE message_logs SET status = 'unknown', attempts = 1 WHERE id = $1", id)
	_, elsewhere := b.addEntity(t, "/")
	require.ErrorIs(t, b.Resend(t.Context(), testkit.Within(elsewhere), id), messaging.ErrNotFound)

	var clicks sync.WaitGroup
	var accepted atomic.Int64
	for range 10 {
		clicks.Go(func() {
			if err := b.Resend(t.Context(), testkit.Within(b.path), id); err == nil {
				accepted.Add(1)
			} else {
				assert.ErrorIs(t, err, messaging.ErrNotResendable)
			}
		})
	}
	clicks.Wait()
	assert.EqualValues(t, 1, accepted.Load())
	assert.Equal(t, 1, b.get(t, id).RetryCount)
	assert.Equal(t, 2, b.sendTasks(t))
}

func TestListShowsASubtree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	child, childPath := b.addEntity(t, b.path)
	stranger, strangerPath := b.addEntity(t, "/")
	ticket := uuid.New()
	mine := b.queue(t)
	theirs, _ := b.queueFor(t, child, ticket)
	foreign, _ := b.queueFor(t, stranger, uuid.New())
	b.exec(t, "UPDATE message_logs SET status = 'failed' WHERE id = $1", theirs)

	list := func(path string, f messaging.Filter, p messaging.Page) (ids []uuid.UUID) {
		messages, err := b.List(t.Context(), testkit.Within(path), f, p)
		require.NoError(t, err)
		for _, m := range messages {
			ids = append(ids, m.ID)
		}
		return ids
	}
	none, first := messaging.Filter{}, messaging.Page{}
	assert.Equal(t, []uuid.UUID{theirs, mine}, list(b.path, none, first))
	assert.Equal(t, []uuid.UUID{theirs}, list(childPath, none, first))
	assert.Equal(t, []uuid.UUID{foreign}, list(strangerPath, none, first))
	assert.Equal(t, []uuid.UUID{theirs}, list(b.path, messaging.Filter{Status: models.MessageFailed}, first))
	assert.Equal(t, []uuid.UUID{theirs}, list(b.path, messaging.Filter{TicketID: ticket}, first))
	assert.Equal(t, []uuid.UUID{theirs}, list(b.path, none, messaging.Page{Limit: 1}))
	assert.Equal(t, []uuid.UUID{mine}, list(b.path, none, messaging.Page{Limit: 1, Before: theirs}))

	_, err := b.Get(t.Context(), testkit.Within(childPath), mine)
	require.ErrorIs(t, err, messaging.ErrNotFound)
	messages, err := b.List(t.Context(), caller.Caller{}, none, first)
	require.NoError(t, err)
	assert.Empty(t, messages, "without a scope")
}

func TestAttemptsCannotBeChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.Send(t.Context(), b.queue(t)))
	for _, sql := range []string{"DELETE FROM message_attempts", "UPDATE message_attempts SET outcome = 'x'"} {
		_, err := b.PG.Pool.Exec(t.Context(), sql)
		require.Error(t, err, sql)
	}
}
