package messaging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging"
	"banca/internal/messaging/pace"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/models"
)

// TestAThousandMessagesToOneRecipientAreSpread: each takes a place once, and none is lost or sent early.
func TestAThousandMessagesToOneRecipientAreSpread(t *testing.T) {
	t.Parallel()
	clk := clock.NewFake(time.Now())
	b := setup(t, func(c *messaging.Deps) { c.Clock = clk })
	paced := b.start(t, b.config(func(c *messaging.Deps) {
		c.Clock, c.Pacer, c.RecipientLane = clk, pace.New(b.Redis, clk), pace.Lane{Every: 6 * time.Second, Burst: 10}
	}))
	const messages = 60
	var ids []uuid.UUID
	for range messages {
		ids = append(ids, b.queue(t))
	}
	b.exec(t, "DELETE FROM outbox")
	for _, id := range ids {
		require.NoError(t, paced.Send(t.Context(), id))
	}
	assert.Len(t, b.gateway.Outbox(customer), 10)
	assert.Equal(t, messages-10, b.sendTasks(t), "a task for each place")
	err := paced.Send(t.Context(), ids[messages-1])
	assert.Equal(t, "MESSAGE_UNDER_WAY", apperr.CodeOf(err), "a task that came too early")

	sent := 10
	for range messages {
		clk.Advance(6 * time.Second)
		for _, id := range ids {
			if b.get(t, id).Status == models.MessageQueued && paced.Send(t.Context(), id) == nil {
				sent++
				break
			}
		}
		if sent == messages {
			break
		}
	}
	assert.Len(t, b.gateway.Outbox(customer), messages)
}
