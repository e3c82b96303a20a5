package messaging_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/models"
)

// channelRow is a row of messaging_channels.
type channelRow struct {
	Failures int
	Paused   bool
	Left     float64 // seconds of the pause
}

func (b *bundle) channel(t *testing.T) (c channelRow) {
	t.Helper()
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT failures, paused_until IS NOT NULL, coalesce(extract(epoch FROM paused_until - now()), 0)::float8
		FROM messaging_channels`).Scan(&c.Failures, &c.Paused, &c.Left))
	return c
}

// account is a provider's account that can be down.
type account struct {
	driverFunc

	down  atomic.Bool
	sends atomic.Int64
	fault channel.Error
}

func (a *account) Send(context.Context, channel.Channel, channel.Message) (channel.Receipt, error) {
	a.sends.Add(1)
	if a.down.Load() {
		e := a.fault
		return channel.Receipt{}, &e
	}
	return channel.Receipt{ProviderID: uuid.NewString()}, nil
}

func (a *account) State(context.Context, channel.Channel) (channel.Link, error) {
	if a.down.Load() {
		return channel.Link{State: channel.Disconnected}, nil
	}
	return channel.Link{State: channel.Open}, nil
}

func down(kind channel.Kind) *account {
	a := &account{fault: channel.Error{Kind: kind, Text: "x"}}
	a.down.Store(true)
	return a
}

func (a *account) use(c *messaging.Deps) { c.Drivers = channel.ByName(a) }

// TestAChannelThatIsDownKeepsItsMessages: a thousand messages cost a few attempts, none fails, and all go on by
// themselves.
func TestAChannelThatIsDownKeepsItsMessages(t *testing.T) {
	t.Parallel()
	a := down(channel.ChannelDown)
	b := setup(t, a.use, func(c *messaging.Deps) { c.MaxAttempts = 2 })
	var ids []uuid.UUID
	for range 100 {
		ids = append(ids, b.queue(t))
	}
	var workers sync.WaitGroup
	for i := range 10 {
		workers.Go(func() {
			for _, id := range ids[i*10 : i*10+10] {
				assert.NoError(t, b.Send(t.Context(), id))
			}
		})
	}
	workers.Wait()
	assert.LessOrEqual(t, a.sends.Load(), int64(10), "those that were under way")
	assert.Equal(t, 1, b.channel(t).Failures, "they count once")
	for range 5 {
		b.endPauses(t)
	}
	assert.Equal(t, 6, b.channel(t).Failures, "each probe fails")
	assert.InDelta(t, 900, b.channel(t).Left, 120, "and the pause grows to its bound")
	for _, id := range ids {
		require.NoError(t, b.Send(t.Context(), id), "a task that came twice")
		require.Equal(t, models.MessageQueued, b.get(t, id).Status)
	}

	b.exec(t, "DELETE FROM outbox")
	a.down.Store(false)
	b.endPauses(t)
	assert.False(t, b.channel(t).Paused)
	assert.Equal(t, len(ids), b.sendTasks(t))
	for _, id := range ids {
		require.NoError(t, b.Send(t.Context(), id))
		require.Equal(t, models.MessageSent, b.get(t, id).Status)
	}
	assert.Zero(t, b.channel(t).Failures)
}

func TestAPauseLastsAsLongAsTheProviderAsks(t *testing.T) {
	t.Parallel()
	a := down(channel.RateLimited)
	a.fault.RetryAfter = 5 * time.Minute
	b := setup(t, a.use)
	require.NoError(t, b.Send(t.Context(), b.queue(t)))
	assert.InDelta(t, 300, b.channel(t).Left, 5)
}

// TestARecipientsLimitPausesNothing: it concerns one telephone.
func TestARecipientsLimitPausesNothing(t *testing.T) {
	t.Parallel()
	a := down(channel.RateLimited)
	a.fault.PerRecipient = true
	b := setup(t, a.use)
	id := b.queue(t)
	require.Error(t, b.Send(t.Context(), id), "its task tries again")
	var n int
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), "SELECT count(*) FROM messaging_channels").Scan(&n))
	assert.Zero(t, n)
	a.down.Store(false)
	require.NoError(t, b.Send(t.Context(), id))
	assert.Equal(t, models.MessageSent, b.get(t, id).Status)
}

// TestAnOpenConnectionTakesWhatWaits: also what waited for the channel that was used before.
func TestAnOpenConnectionTakesWhatWaits(t *testing.T) {
	t.Parallel()
	a := down(channel.Unauthorised)
	b := setup(t, a.use)
	_, below := b.addEntity(t, b.path)
	_ = below
	id := b.queue(t)
	require.NoError(t, b.Send(t.Context(), id))
	b.exec(t, "DELETE FROM outbox")
	connection := uuid.New()
	require.NoError(t, b.ChannelChanged(t.Context(), channel.Change{ChannelID: connection, State: channel.ShowsQR, EntityID: b.entity}))
	assert.Zero(t, b.sendTasks(t))
	require.NoError(t, b.ChannelChanged(t.Context(), channel.Change{ChannelID: connection, State: channel.Open, EntityID: b.entity}))
	assert.Equal(t, 1, b.sendTasks(t))
}

func TestAMessageThatIsTooOldIsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.queue(t)
	b.exec(t, "UPDATE message_logs SET created_at = now() - interval '3 days' WHERE id = $1", id)
	require.NoError(t, b.Send(t.Context(), id))
	m := b.get(t, id)
	assert.Equal(t, models.MessageFailed, m.Status)
	assert.Equal(t, "TOO_OLD", value(m.ErrorCode))
	assert.Empty(t, m.Tries)
	b.exec(t, "UPDATE message_logs SET status = 'queued', resent_at = now() WHERE id = $1", id)
	require.NoError(t, b.Send(t.Context(), id), "a person wants it")
	assert.Equal(t, models.MessageSent, b.get(t, id).Status)
}

func TestAnObsoleteMessageIsNotSent(t *testing.T) {
	t.Parallel()
	var asked messaging.Queued
	b := setup(t, func(c *messaging.Deps) {
		c.Obsolete = func(_ context.Context, list []messaging.Queued) ([]messaging.Obsolete, error) {
			asked = list[0]
			return []messaging.Obsolete{{Code: "TICKET_CANCELLED"}}, nil
		}
	})
	ticket := uuid.New()
	id, _ := b.queueFor(t, b.entity, ticket)
	require.NoError(t, b.Send(t.Context(), id))
	assert.Equal(t, messaging.Queued{ID: id, EntityID: b.entity, TicketID: ticket, Kind: models.MessageReceipt, Recipient: customer}, asked)
	assert.Equal(t, "TICKET_CANCELLED", value(b.get(t, id).ErrorCode))
	assert.Empty(t, b.gateway.Outbox(""))
}
