package connections_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
)

// age makes the state of a connection old.
func (b *bundle) age(t *testing.T, id uuid.UUID, by string) {
	t.Helper()
	_, err := b.PG.Pool.Exec(t.Context(), `UPDATE messaging_connections SET checked_at = now() - $2::interval WHERE id = $1`, id, by)
	require.NoError(t, err)
}

// TestTheSweepAsksForOldStates: an account that was linked without a webhook is open after the next sweep.
func TestTheSweepAsksForOldStates(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	b.provider.set(channel.Link{State: channel.Open, Phone: "+584141234567"}, nil)
	state := func() channel.State {
		c, err := b.Get(t.Context(), by, c.ID)
		require.NoError(t, err)
		return c.State
	}
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, channel.ShowsQR, state(), "it was asked for just now")
	b.age(t, c.ID, "31 seconds")
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, channel.Open, state())
	assert.Equal(t, channel.Change{ChannelID: c.ID, State: channel.Open, EntityID: b.agency.id}, b.changes[len(b.changes)-1])

	b.provider.set(channel.Link{State: channel.Disconnected}, nil)
	b.age(t, c.ID, "9 minutes")
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, channel.Open, state(), "an open account is asked for rarely")
	b.age(t, c.ID, "11 minutes")
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, channel.Disconnected, state())
	b.provider.set(channel.Link{State: channel.Open}, nil)
	b.age(t, c.ID, "61 seconds")
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, channel.Open, state())

	b.provider.set(channel.Link{}, &channel.Error{Kind: channel.Retryable, Text: "it is away"})
	b.age(t, c.ID, "11 minutes")
	require.NoError(t, b.Sweep(t.Context()), "a provider that is away fails no sweep")
	assert.Equal(t, channel.Open, state())
}

// TestOneSweepIsBounded: 20 calls, the oldest first, and no connection that cannot be read stops the others.
func TestOneSweepIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	var ids []uuid.UUID
	for range 25 {
		c, err := b.Create(t.Context(), by, b.wish(b.addEntity(t, "AGENCY", b.root.path)))
		require.NoError(t, err)
		ids = append(ids, c.ID)
	}
	b.provider.set(channel.Link{State: channel.Open}, nil)
	_, err := b.PG.Pool.Exec(t.Context(), `UPDATE messaging_connections SET checked_at = now() - interval '1 hour'`)
	require.NoError(t, err)
	b.age(t, ids[0], "2 hours")
	_, err = b.PG.Pool.Exec(t.Context(), `UPDATE messaging_connections SET secrets = 'broken' WHERE id = $1`, ids[0])
	require.NoError(t, err)
	open := func() (n int) {
		require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM messaging_connections WHERE state = 'open'`).Scan(&n))
		return n
	}
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, 19, open())
	require.NoError(t, b.Sweep(t.Context()))
	assert.Equal(t, 24, open())
}

// TestAPageThatIsLookedAtHasTheCodeOfNow: gateways make another code every 20 seconds.
func TestAPageThatIsLookedAtHasTheCodeOfNow(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	b.provider.set(channel.Link{State: channel.ShowsQR, QR: []byte("first")}, nil)
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(20*time.Second), *c.LinkUntil, 10*time.Second, "the gateway does not say how long")
	b.provider.set(channel.Link{State: channel.ShowsQR, QR: []byte("second")}, nil)
	same, err := b.Watch(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.Equal(t, c.QRVersion, same.QRVersion, "it was asked for just now")
	b.age(t, c.ID, "4 seconds")
	next, err := b.Watch(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.NotEqual(t, c.QRVersion, next.QRVersion)
	png, err := b.QR(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.Equal(t, "second", string(png))

	b.provider.set(channel.Link{State: channel.Open}, nil)
	b.age(t, c.ID, "4 seconds")
	linked, err := b.Watch(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.Equal(t, channel.Open, linked.State)
	assert.False(t, linked.HasQR())
	b.provider.set(channel.Link{State: channel.Banned}, nil)
	b.age(t, c.ID, "4 seconds")
	linked, err = b.Watch(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.Equal(t, channel.Open, linked.State, "an account that is linked is not asked for by a page")
}

func TestAPersonWhoAsksEndsThePause(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	b.provider.set(channel.Link{State: channel.Open}, nil)
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	n := len(b.changes)
	_, err = b.Refresh(t.Context(), by, c.ID)
	require.NoError(t, err)
	require.Len(t, b.changes, n+1, "also if the state is the same")
	assert.Equal(t, channel.Open, b.changes[n].State)
}

func TestAConnectionIsChanged(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	secret := b.provider.secret
	changed, err := b.Update(t.Context(), by, c.ID, &connections.Settings{Name: "La Fortuna", PerMinute: 30, Parameters: map[string]string{"api_key": "another-secret-key", "webhook_secret": " "}})
	require.NoError(t, err)
	assert.Equal(t, "La Fortuna", changed.Name)
	assert.Equal(t, 30, changed.PerMinute)
	route, err := routeOf(t, b.Service, b.agency.id)
	require.NoError(t, err)
	assert.Equal(t, "another-secret-key", route.Channel.Get("api_key"))
	assert.Equal(t, secret, route.Channel.Get("webhook_secret"), "an empty field keeps it")
	assert.Equal(t, "https://gateway.example", route.Channel.Get("base_url"))

	same, err := b.Update(t.Context(), by, c.ID, &connections.Settings{})
	require.NoError(t, err)
	assert.Equal(t, "La Fortuna", same.Name)
	for _, bad := range []connections.Settings{
		{PerMinute: -1}, {PerMinute: connections.MaxPerMinute + 1}, {Parameters: map[string]string{"base_url": "gopher://x"}}, {Parameters: map[string]string{"nothing": "x"}},
	} {
		_, err = b.Update(t.Context(), by, c.ID, &bad)
		require.ErrorIs(t, err, connections.ErrParameters)
	}
	_, err = b.Update(t.Context(), b.point.caller(), c.ID, &connections.Settings{Name: "Taken"})
	require.ErrorIs(t, err, connections.ErrNotFound)

	var logged string
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT string_agg(x::text, ' ') FROM activity_logs x`).Scan(&logged))
	assert.Contains(t, logged, "La Fortuna")
	assert.NotContains(t, logged, "another-secret-key")
	text, err := json.Marshal(changed)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "another-secret-key")
}

func TestUsesAreInherited(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	uses := func(e entity, f connections.UseFilter) map[uuid.UUID]connections.Use {
		list, total, err := b.Uses(t.Context(), e.caller(), &f, 50, 0)
		require.NoError(t, err)
		require.EqualValues(t, len(list), total)
		byEntity := map[uuid.UUID]connections.Use{}
		for _, u := range list {
			byEntity[u.EntityID] = u
		}
		return byEntity
	}
	all := uses(b.root, connections.UseFilter{})
	require.Len(t, all, 3)
	assert.Equal(t, uuid.Nil, all[b.point.id].Connection, "the configured channel")
	w := b.wish(b.root)
	w.Name = "De la casa"
	top, err := b.Create(t.Context(), by, w)
	require.NoError(t, err)
	own, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	all = uses(b.root, connections.UseFilter{})
	assert.Equal(t, top.ID, all[b.root.id].Connection)
	mine, below := all[b.agency.id], all[b.point.id]
	assert.True(t, mine.Own())
	assert.Equal(t, own.ID, below.Connection)
	assert.False(t, below.Own())
	assert.Equal(t, b.agency.id, below.OwnerID)
	assert.Len(t, uses(b.root, connections.UseFilter{Own: true}), 2)
	assert.Len(t, uses(b.root, connections.UseFilter{Own: true, Search: "CASA"}), 1)
	assert.Empty(t, uses(b.root, connections.UseFilter{State: "open"}))
	assert.Len(t, uses(b.root, connections.UseFilter{State: "qr"}), 3)
	assert.Empty(t, uses(b.root, connections.UseFilter{Search: "%' OR 1=1 --"}))
	assert.Len(t, uses(b.point, connections.UseFilter{}), 1)
	assert.Empty(t, uses(b.point, connections.UseFilter{Own: true}))
	require.NoError(t, b.Delete(t.Context(), by, own.ID, false))
	inherited := uses(b.point, connections.UseFilter{})[b.point.id]
	assert.Equal(t, connections.Use{EntityID: b.point.id, EntityName: inherited.EntityName, EntityType: inherited.EntityType, Connection: top.ID, State: "qr"}, inherited, "only that it is inherited, and its state")
	assert.Empty(t, uses(b.point, connections.UseFilter{Search: "casa"}), "names of those above are not found out")
	assert.Len(t, uses(b.root, connections.UseFilter{Search: "casa"}), 3)
}

// Secrets are sent to the address that they were typed for, and to no other one.
func TestANewAddressNeedsTheSecretsAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.agency.caller()
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	generated := b.provider.secret
	parameters := map[string]string{"base_url": "https://elsewhere.example"}
	_, err = b.Update(t.Context(), by, c.ID, &connections.Settings{Parameters: parameters})
	require.ErrorIs(t, err, connections.ErrParameters)
	route, err := routeOf(t, b.Service, b.agency.id)
	require.NoError(t, err)
	assert.Equal(t, "https://gateway.example", route.Channel.Get("base_url"))

	parameters["api_key"] = "key-of-elsewhere"
	_, err = b.Update(t.Context(), by, c.ID, &connections.Settings{Parameters: parameters})
	require.NoError(t, err)
	route, err = routeOf(t, b.Service, b.agency.id)
	require.NoError(t, err)
	assert.Equal(t, []string{"https://elsewhere.example", "key-of-elsewhere"}, []string{route.Channel.Get("base_url"), route.Channel.Get("api_key")})
	assert.NotEqual(t, generated, route.Channel.Get("webhook_secret"))
	assert.NotEmpty(t, route.Channel.Get("webhook_secret"))
}
