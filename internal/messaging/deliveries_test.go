package messaging_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/models"
)

// receiver answers as the program of the driver http: each key once.
type receiver struct {
	keys map[string]bool
	err  error // instead of an answer
}

func (r *receiver) send(_ context.Context, m channel.Message) (channel.Receipt, error) {
	if r.keys == nil {
		r.keys = map[string]bool{}
	}
	r.keys[m.Key()] = true
	if r.err != nil {
		return channel.Receipt{}, r.err
	}
	return channel.Receipt{ProviderID: "sms-" + m.Key()}, nil
}

func late(id uuid.UUID, delivery int) channel.Status {
	return channel.Status{
		MessageID: id, Delivery: delivery, Status: channel.StatusFailed, At: time.Now(), Error: &channel.Error{Kind: channel.BadRecipient, Text: "x"},
	}
}

// Reports that name our messages only count for each of them.
func TestReportsWithoutAnIDOfTheProvider(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	b := setup(t, with(r.send))
	ids := []uuid.UUID{b.queue(t), b.queue(t), b.queue(t)}
	for _, status := range []string{channel.StatusSent, channel.StatusDelivered, channel.StatusRead, channel.StatusDelivered} {
		for i, id := range ids {
			if status == channel.StatusSent {
				require.NoError(t, b.Send(t.Context(), id))
			}
			require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{{MessageID: id, Delivery: 1, Status: status, At: time.Now()}}))
			m := b.get(t, id)
			if status != channel.StatusDelivered || m.Status != models.MessageRead {
				assert.Equal(t, status, m.Status, i)
			}
			assert.Equal(t, "sms-"+id.String(), value(m.ProviderID), "the provider's id is kept")
		}
	}
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{{MessageID: uuid.New(), Status: channel.StatusRead, At: time.Now()}}))
	var reports int
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM message_reports`).Scan(&reports))
	require.Equal(t, 9, reports, "each status once, and none of a message that is not ours")
}

// A message that failed late is sent again as another delivery, which the report of the first one does not concern.
func TestAResendAfterALateFailureIsAnotherDelivery(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	b := setup(t, with(r.send))
	id := b.queue(t)
	for delivery := 1; delivery <= 3; delivery++ {
		require.NoError(t, b.Send(t.Context(), id))
		require.Len(t, r.keys, delivery)
		require.Equal(t, models.MessageSent, b.get(t, id).Status, delivery)
		require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{late(id, delivery), late(id, delivery)}))
		require.Equal(t, models.MessageFailed, b.get(t, id).Status, delivery)
		require.NoError(t, b.Resend(t.Context(), testkit.Within(b.path), id))
		require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{late(id, delivery)}))
		require.Equal(t, models.MessageQueued, b.get(t, id).Status, delivery)
	}
	require.True(t, r.keys[id.String()] && r.keys[id.String()+".2"] && r.keys[id.String()+".3"])
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{{MessageID: id, Delivery: 2, Status: channel.StatusDelivered, At: time.Now()}}))
	require.Equal(t, models.MessageDelivered, b.get(t, id).Status, "an earlier one arrived after all")
}

// While the outcome is not known, a person who sends again asks for the same delivery, and an old failure does not
// settle it.
func TestAResendOfAnUnknownOutcomeIsTheSameDelivery(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	b := setup(t, with(r.send))
	id := b.queue(t)
	require.NoError(t, b.Send(t.Context(), id))
	first := report("sms-"+id.String(), channel.StatusFailed)
	first.Error = late(id, 1).Error
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{first}))
	r.err = &channel.Error{Kind: channel.UnknownOutcome, Text: "x"}
	for range 2 {
		require.NoError(t, b.Resend(t.Context(), testkit.Within(b.path), id))
		require.NoError(t, b.Send(t.Context(), id))
		require.Equal(t, models.MessageUnknown, b.get(t, id).Status)
		require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{first, late(id, 1)}))
		require.Equal(t, models.MessageUnknown, b.get(t, id).Status, "the failure of the first delivery")
	}
	require.Len(t, r.keys, 2)
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{late(id, 2)}))
	require.Equal(t, models.MessageFailed, b.get(t, id).Status)
}

func TestKeysOfDeliveries(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	for _, n := range []int{1, 2, 10, 1 << 30} {
		m := channel.Message{ID: id, Delivery: n}
		got, delivery, ok := channel.ParseKey(m.Key())
		require.True(t, ok && got == id && delivery == n, strconv.Itoa(n))
	}
	for _, key := range []string{"", ".", "x.2", id.String() + ".", id.String() + ".1", id.String() + ".02", id.String() + ".-2", id.String() + ".9999999999", id.String() + ".2.3"} {
		_, _, ok := channel.ParseKey(key)
		require.False(t, ok, key)
	}
}

// A wait of hours is kept and uses up no attempt, until the message is too old.
func TestAMessageWaitsAsLongAsTheProviderAsks(t *testing.T) {
	t.Parallel()
	calls := 0
	b := setup(t, with(func(context.Context, channel.Message) (channel.Receipt, error) {
		calls++
		return channel.Receipt{}, &channel.Error{Kind: channel.RateLimited, PerRecipient: true, RetryAfter: 24 * time.Hour, Text: "131049"}
	}), func(c *messaging.Deps) { c.MaxAttempts = 2 })
	id := b.queue(t)
	for n := 1; n <= 4; n++ {
		require.NoError(t, b.Send(t.Context(), id))
		m := b.get(t, id)
		require.Equal(t, models.MessageQueued, m.Status)
		require.Equal(t, n, calls)
		require.WithinDuration(t, time.Now().Add(24*time.Hour), *m.SendAfter, time.Minute)
		require.Equal(t, m.SendAfter.UTC(), m.QueuedAt.UTC(), "its task counts as lost after that only")
		var tasks int
		require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM outbox WHERE kind = 'message.send' AND process_at > now() + interval '23 hours'`).Scan(&tasks))
		require.Equal(t, n, tasks)
		require.Error(t, b.Send(t.Context(), id), "a task of before does not send it")
		b.exec(t, `UPDATE message_logs SET send_after = now()`)
	}
	b.exec(t, `UPDATE message_logs SET created_at = now() - interval '30 hours'`)
	require.NoError(t, b.Send(t.Context(), id))
	require.WithinDuration(t, time.Now().Add(18*time.Hour), *b.get(t, id).SendAfter, time.Minute, "when it is too old")
	b.exec(t, `UPDATE message_logs SET created_at = now() - interval '49 hours', send_after = now()`)
	require.NoError(t, b.Send(t.Context(), id))
	m := b.get(t, id)
	require.Equal(t, []string{models.MessageFailed, "TOO_OLD"}, []string{m.Status, value(m.ErrorCode)})
	require.NoError(t, b.Resend(t.Context(), testkit.Within(b.path), id))
	require.NoError(t, b.Send(t.Context(), id))
	require.WithinDuration(t, time.Now().Add(24*time.Hour), *b.get(t, id).SendAfter, time.Minute, "a person wants it again")
}
