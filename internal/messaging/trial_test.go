package messaging_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging"
	"banca/internal/org"
	"banca/models"
)

func TestATestMessageIsSentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.caller(b.entity, b.path)
	test := messaging.Test{EntityID: b.entity, Recipient: customer, Language: "en", Key: "k"}
	var calls sync.WaitGroup
	ids := make([]uuid.UUID, 50)
	for i := range ids {
		calls.Go(func() {
			id, _, err := b.SendTest(t.Context(), by, &test)
			if assert.NoError(t, err) {
				ids[i] = id
			}
		})
	}
	calls.Wait()
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	assert.Equal(t, 1, b.sendTasks(t))
	require.NoError(t, b.Send(t.Context(), ids[0]))
	sent := b.get(t, ids[0])
	assert.Equal(t, models.MessageSent, sent.Status)
	assert.Equal(t, messaging.KindTest, sent.Kind)
	assert.Contains(t, sent.Body, "Test message")

	test.Recipient = "+584149999999"
	_, _, err := b.SendTest(t.Context(), by, &test)
	require.Error(t, err, "the key stands for another test")
	test.Recipient, test.Key = "0414", ""
	_, _, err = b.SendTest(t.Context(), by, &test)
	require.ErrorIs(t, err, messaging.ErrInvalidRecipient)
	stranger, _ := b.addEntity(t, "/")
	_, _, err = b.SendTest(t.Context(), by, &messaging.Test{EntityID: stranger, Recipient: customer})
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	assert.Equal(t, 1, b.sendTasks(t))
}

func TestPausesTellHowManyMessagesWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := b.caller(b.entity, b.path)
	c, quiet := uuid.New(), uuid.New()
	b.exec(t, `INSERT INTO messaging_channels (channel_id, failures, paused_at, paused_until, kind, reason) VALUES
		($1, 3, now(), now() + interval '1 minute', 'channel_down', 'the account is banned'), ($2, 1, NULL::timestamptz, NULL, '', '')`, c, quiet)
	for _, id := range b.failMany(t, b.entity, 4, models.MessageFailed, "X") {
		b.exec(t, `UPDATE message_logs SET status = 'queued', waiting = true, channel_id = $2 WHERE id = $1`, id, c)
	}
	b.failMany(t, b.entity, 2, models.MessageFailed, "X")
	pauses, err := b.Pauses(t.Context(), []uuid.UUID{c, quiet, uuid.New()})
	require.NoError(t, err)
	require.Len(t, pauses, 1)
	assert.EqualValues(t, 4, pauses[c].Waiting)
	assert.Equal(t, "channel_down", pauses[c].Kind)
	assert.Equal(t, "the account is banned", pauses[c].Reason)
	assert.True(t, pauses[c].Until.After(pauses[c].Since))

	list, total, err := b.ListPage(t.Context(), by, &messaging.Filter{ChannelID: c}, messaging.Window{Limit: 3})
	require.NoError(t, err)
	assert.Len(t, list, 3)
	assert.EqualValues(t, 4, total)
	assert.True(t, list[0].Waiting)
	assert.Equal(t, c, *list[0].ChannelID)
	newer, total, err := b.ListPage(t.Context(), by, &messaging.Filter{}, messaging.Window{Limit: 10, After: list[0].ID})
	require.NoError(t, err)
	assert.Len(t, newer, 2)
	assert.EqualValues(t, 2, total)
}
