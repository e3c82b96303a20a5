package messaging_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/models"
)

// outside is a provider that refuses free texts, at once or later by its webhook.
type outside struct {
	mu    sync.Mutex
	sent  []channel.Message
	later bool
}

func (o *outside) send(_ context.Context, m channel.Message) (channel.Receipt, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.Template == nil && !o.later {
		return channel.Receipt{}, &channel.Error{Kind: channel.NeedsTemplate, Text: "outside of the window"}
	}
	o.sent = append(o.sent, m)
	return channel.Receipt{ProviderID: uuid.NewString()}, nil
}

func (b *bundle) queueText(t *testing.T, m messaging.Outgoing) uuid.UUID {
	t.Helper()
	m.ID, m.EntityID, m.Recipient = uuid.Must(uuid.NewV7()), b.entity, customer
	created, err := b.queueMessage(t, &m)
	require.NoError(t, err)
	require.True(t, created)
	return m.ID
}

func receiptTemplate() *channel.Template {
	return &channel.Template{Name: "receipt", Language: "es", Body: []string{"7K", "VES 1,00"}, Button: "7K"}
}

func TestTheTemplateIsSentWhereAFreeTextIsRefused(t *testing.T) {
	t.Parallel()
	o := &outside{}
	b := setup(t, with(o.send))
	id := b.queueText(t, messaging.Outgoing{Kind: models.MessageReceipt, Body: "x", Template: receiptTemplate()})
	require.NoError(t, b.Send(t.Context(), id))
	assert.Equal(t, models.MessageQueued, b.get(t, id).Status)
	assert.Equal(t, 2, b.sendTasks(t))
	require.NoError(t, b.Send(t.Context(), id))
	m := b.get(t, id)
	assert.Equal(t, models.MessageSent, m.Status)
	assert.Len(t, m.Tries, 2)
	require.Len(t, o.sent, 1)
	assert.Equal(t, receiptTemplate(), o.sent[0].Template)

	without := b.queueText(t, messaging.Outgoing{Kind: models.MessageReceipt, Body: "x"})
	require.NoError(t, b.Send(t.Context(), without))
	m = b.get(t, without)
	assert.Equal(t, models.MessageFailed, m.Status)
	assert.Equal(t, "NEEDS_TEMPLATE", value(m.ErrorCode))
}

// The refusal may come by webhook, minutes later, twice, and by several processes at once.
func TestTheTemplateIsSentAfterALateRefusal(t *testing.T) {
	t.Parallel()
	o := &outside{later: true}
	b := setup(t, with(o.send))
	id := b.queueText(t, messaging.Outgoing{Kind: models.MessageReceipt, Body: "x", Template: receiptTemplate()})
	require.NoError(t, b.Send(t.Context(), id))
	first := value(b.get(t, id).ProviderID)
	refused := report(first, "failed")
	refused.Error = &channel.Error{Kind: channel.NeedsTemplate, Text: "outside of the window"}
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() { assert.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{refused})) })
	}
	calls.Wait()
	assert.Equal(t, models.MessageQueued, b.get(t, id).Status)
	assert.Equal(t, 2, b.sendTasks(t), "one more")
	require.NoError(t, b.Send(t.Context(), id))
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{refused}))
	m := b.get(t, id)
	assert.Equal(t, models.MessageSent, m.Status)
	require.Len(t, o.sent, 2)
	assert.Nil(t, o.sent[0].Template)
	assert.NotNil(t, o.sent[1].Template)

	again := report(value(m.ProviderID), "failed")
	again.Error = refused.Error
	require.NoError(t, b.Reported(t.Context(), uuid.Nil, []channel.Status{again}))
	assert.Equal(t, models.MessageFailed, b.get(t, id).Status, "the template is tried once")
}

// A code is in neither the row's text nor its template.
func TestACodeIsFilledIntoItsTemplateWhenItIsSent(t *testing.T) {
	t.Parallel()
	o := &outside{}
	secret := &channel.Template{Name: "code", Language: "es", Body: []string{"987654"}, Button: "987654"}
	b := setup(t, with(o.send), func(c *messaging.Deps) {
		c.Codes = func(context.Context, uuid.UUID) (messaging.CodeMessage, error) {
			return messaging.CodeMessage{Body: "987654", Template: secret}, nil
		}
	})
	hidden := &channel.Template{Name: "code", Language: "es", Body: []string{"•"}, Button: "•"}
	id := b.queueText(t, messaging.Outgoing{Kind: models.MessageCode, Body: "•", Template: hidden})
	require.NoError(t, b.Send(t.Context(), id))
	require.NoError(t, b.Send(t.Context(), id))
	require.Len(t, o.sent, 1)
	assert.Equal(t, secret, o.sent[0].Template)
	var row string
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT m::text FROM message_logs m WHERE id = $1`, id).Scan(&row))
	assert.NotContains(t, row, "987654")
}
