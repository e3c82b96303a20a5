package connections_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/secrets"
)

func TestAConnectionIsLinkedByItsQR(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	assert.Equal(t, channel.ShowsQR, c.State)
	assert.Equal(t, map[string]string{"base_url": "https://gateway.example"}, c.Parameters)
	assert.Equal(t, "https://banca.example/messaging/webhooks/"+c.ID.String(), b.provider.webhook)
	assert.GreaterOrEqual(t, len(b.provider.secret), 32, "generated")
	png, err := b.QR(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.Equal(t, "png", string(png))

	b.provider.link = channel.Link{State: channel.Open, Phone: "+584141234567"}
	c, err = b.Refresh(t.Context(), by, c.ID)
	require.NoError(t, err)
	assert.Equal(t, channel.Open, c.State)
	assert.Equal(t, "+584141234567", c.Phone)
	_, err = b.QR(t.Context(), by, c.ID)
	require.ErrorIs(t, err, connections.ErrNoQR)
	require.Len(t, b.changes, 2)
	assert.Equal(t, channel.Change{ChannelID: c.ID, State: channel.Open, EntityID: b.agency.id}, b.changes[1])
}

func TestAnOldQRIsNotShown(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	b.provider.link.ExpiresAt = time.Now().Add(-time.Second)
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	_, err = b.QR(t.Context(), b.root.caller(), c.ID)
	require.ErrorIs(t, err, connections.ErrNoQR)
}

// TestSecretsAreSealedAndNeverShown looks for the key in every row of the database and in everything that is returned.
func TestSecretsAreSealedAndNeverShown(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	b.provider.err = &channel.Error{Kind: channel.Unauthorised, Text: channel.Channel{Parameters: map[string]string{"api_key": apiKey}}.Clean("refused " + apiKey)}
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	assert.NotContains(t, string(text), apiKey)
	for _, table := range []string{"messaging_connections", "activity_logs", "outbox"} {
		var row string
		require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(x::text, ' '), '') FROM `+table+` x`).Scan(&row))
		assert.NotContains(t, row, apiKey, table)
		assert.NotContains(t, row, b.provider.secret, table)
	}
	route, err := routeOf(t, b.Service, b.agency.id)
	require.NoError(t, err)
	assert.Equal(t, apiKey, route.Channel.Get("api_key"))
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v %s", route, route, route.Channel, route.Channel), apiKey)
}

func TestAProviderThatFailsLeavesADisconnectedConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	b.provider.err = &channel.Error{Kind: channel.ChannelDown, Text: "it wants a licence", State: channel.LicenseRequired}
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	assert.Equal(t, channel.LicenseRequired, c.State)
	assert.Equal(t, "it wants a licence", c.Reason)
	b.provider.err = nil
	c, err = b.Service.Connect(t.Context(), b.root.caller(), c.ID)
	require.NoError(t, err)
	assert.Equal(t, channel.ShowsQR, c.State)
	assert.Empty(t, c.Reason)
}

func TestChannelsAreInherited(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	route := func() channel.Route {
		r, err := routeOf(t, b.Service, b.point.id)
		require.NoError(t, err)
		return r
	}
	assert.Equal(t, "log", route().Channel.Driver)
	assert.Equal(t, 600, route().PerMinute)
	w := b.wish(b.root)
	w.PerMinute = 7
	top, err := b.Create(t.Context(), by, w)
	require.NoError(t, err)
	assert.Equal(t, top.ID, route().Channel.ID)
	assert.Equal(t, 7, route().PerMinute)
	own, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	assert.Equal(t, own.ID, route().Channel.ID)
	require.NoError(t, b.Delete(t.Context(), by, own.ID, false))
	assert.Equal(t, 1, b.provider.deleted)
	assert.Equal(t, top.ID, route().Channel.ID)
	_, err = b.ByID(t.Context(), own.ID)
	require.ErrorIs(t, err, connections.ErrNotFound)
	var secret string
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT secrets FROM messaging_connections WHERE id = $1`, own.ID).Scan(&secret))
	assert.Empty(t, secret)
}

func TestOthersConnectionsAreOutOfReach(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	other := b.addEntity(t, "AGENCY", b.root.path)
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	_, err = b.Create(t.Context(), other.caller(), b.wish(b.agency))
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	for _, by := range []entity{other, b.point} {
		_, err = b.Get(t.Context(), by.caller(), c.ID)
		require.ErrorIs(t, err, connections.ErrNotFound)
		_, err = b.Service.Connect(t.Context(), by.caller(), c.ID)
		require.ErrorIs(t, err, connections.ErrNotFound)
		_, err = b.QR(t.Context(), by.caller(), c.ID)
		require.ErrorIs(t, err, connections.ErrNotFound)
		_, err = b.Logout(t.Context(), by.caller(), c.ID)
		require.ErrorIs(t, err, connections.ErrNotFound)
		require.ErrorIs(t, b.Delete(t.Context(), by.caller(), c.ID, true), connections.ErrNotFound)
		list, total, err := b.List(t.Context(), by.caller(), 50, 0)
		require.NoError(t, err)
		assert.Empty(t, list)
		assert.Zero(t, total)
	}
}

func TestWishesAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	for name, c := range map[string]struct {
		change func(w *connections.Wish)
		at     string
	}{
		"no key":           {func(w *connections.Wish) { delete(w.Parameters, "api_key") }, "parameters.api_key"},
		"blank key":        {func(w *connections.Wish) { w.Parameters["api_key"] = "    " }, "parameters.api_key"},
		"header injection": {func(w *connections.Wish) { w.Parameters["api_key"] = "abcd\r\nX: y" }, "parameters.api_key"},
		"no address":       {func(w *connections.Wish) { w.Parameters["base_url"] = "gateway" }, "parameters.base_url"},
		"file":             {func(w *connections.Wish) { w.Parameters["base_url"] = "file:///etc/passwd" }, "parameters.base_url"},
		"user in address":  {func(w *connections.Wish) { w.Parameters["base_url"] = "https://a:b@gateway.example" }, "parameters.base_url"},
		"unknown":          {func(w *connections.Wish) { w.Parameters["color"] = "red" }, "parameters.color"},
		"long name":        {func(w *connections.Wish) { w.Name = strings.Repeat("x", 101) }, "name"},
		"too many":         {func(w *connections.Wish) { w.PerMinute = 6001 }, "per_minute"},
	} {
		w := b.wish(b.agency)
		c.change(w)
		_, err := b.Create(t.Context(), b.root.caller(), w)
		require.ErrorIs(t, err, connections.ErrParameters, name)
		details := apperr.From(err).Details
		require.Len(t, details, 1, name)
		assert.Equal(t, c.at, details[0].Location, name)
		assert.NotContains(t, fmt.Sprint(err), "a:b@")
	}
	w := b.wish(b.agency)
	w.Driver = "pigeon"
	_, err := b.Create(t.Context(), b.root.caller(), w)
	require.ErrorIs(t, err, connections.ErrUnknownDriver)
	keyless := setup(t, "")
	_, err = keyless.Create(t.Context(), keyless.root.caller(), keyless.wish(keyless.agency))
	require.ErrorIs(t, err, connections.ErrNoKeys)
	var n int
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM messaging_connections`).Scan(&n))
	assert.Zero(t, n)
}

func TestAnEntityHasOneConnection(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	var created atomic.Int64
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			_, err := b.service(t, newKey).Create(t.Context(), b.root.caller(), b.wish(b.agency))
			if err == nil {
				created.Add(1)
			} else {
				assert.ErrorIs(t, err, connections.ErrExists)
			}
		})
	}
	calls.Wait()
	assert.EqualValues(t, 1, created.Load())
}

func TestAProviderThatIsAwayKeepsTheConnectionUnlessForced(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	b.provider.err = errors.New("connection refused")
	require.ErrorIs(t, b.Delete(t.Context(), by, c.ID, false), connections.ErrProvider)
	_, err = b.Logout(t.Context(), by, c.ID)
	require.ErrorIs(t, err, connections.ErrProvider)
	_, err = b.Get(t.Context(), by, c.ID)
	require.NoError(t, err)
	require.NoError(t, b.Delete(t.Context(), by, c.ID, true))
	_, err = b.Get(t.Context(), by, c.ID)
	require.ErrorIs(t, err, connections.ErrNotFound)
	require.ErrorIs(t, b.Delete(t.Context(), by, c.ID, true), connections.ErrNotFound)
}

func TestWebhooksAreVerified(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	c, err := b.Create(t.Context(), b.root.caller(), b.wish(b.agency))
	require.NoError(t, err)
	good := http.Header{"X-Secret": {b.provider.secret}}
	b.provider.received = channel.Report{Link: &channel.Link{State: channel.Open}, Statuses: []channel.Status{{ProviderID: "p", Status: "read"}}}

	_, err = b.Report(t.Context(), &connections.Webhook{Connection: c.ID, Header: http.Header{"X-Secret": {"guess"}}, Body: []byte("{}")})
	require.ErrorIs(t, err, connections.ErrSignature)
	_, err = b.Report(t.Context(), &connections.Webhook{Connection: c.ID, Header: good, Body: []byte("garbage")})
	require.ErrorIs(t, err, connections.ErrWebhook)
	for _, id := range []uuid.UUID{uuid.New(), uuid.Nil} {
		_, err = b.Report(t.Context(), &connections.Webhook{Connection: id, Header: good, Body: []byte("{}")})
		require.ErrorIs(t, err, connections.ErrNotFound)
	}
	now, err := b.Get(t.Context(), b.root.caller(), c.ID)
	require.NoError(t, err)
	assert.Equal(t, channel.ShowsQR, now.State, "nothing of these is used")

	report, err := b.Report(t.Context(), &connections.Webhook{Connection: c.ID, Header: good, Body: []byte("{}")})
	require.NoError(t, err)
	assert.Len(t, report.Statuses, 1)
	now, err = b.Get(t.Context(), b.root.caller(), c.ID)
	require.NoError(t, err)
	assert.Equal(t, channel.Open, now.State)

	answer, err := b.Answer(t.Context(), &connections.Challenge{Connection: c.ID, Query: url.Values{"challenge": {"42"}}})
	require.NoError(t, err)
	assert.Equal(t, "42", answer)
	_, err = b.Answer(t.Context(), &connections.Challenge{Connection: c.ID})
	require.ErrorIs(t, err, connections.ErrSignature)
}

func TestKeysAreReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t, oldKey)
	by := b.root.caller()
	_, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	_, err = routeOf(t, b.service(t, newKey), b.agency.id)
	require.ErrorIs(t, err, secrets.ErrUnknownKey)
	both := b.service(t, newKey+","+oldKey)
	_, err = routeOf(t, both, b.agency.id)
	require.NoError(t, err)
	for _, want := range []int{1, 0} {
		n, err := both.Rotate(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, n)
	}
	route, err := routeOf(t, b.service(t, newKey), b.agency.id)
	require.NoError(t, err)
	assert.Equal(t, apiKey, route.Channel.Get("api_key"))
}

// TestAHangingProviderLocksNothing: a provider that hangs must keep no row locked.
func TestAHangingProviderLocksNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, newKey)
	by := b.root.caller()
	c, err := b.Create(t.Context(), by, b.wish(b.agency))
	require.NoError(t, err)
	b.provider.mu.Lock() // the next call of the provider hangs
	hanging := make(chan error, 1)
	go func() { _, err := b.Refresh(t.Context(), by, c.ID); hanging <- err }()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.WaitTimeout)
	defer cancel()
	_, err = b.PG.Pool.Exec(ctx, `UPDATE messaging_connections SET name = 'x' WHERE id = $1`, c.ID)
	require.NoError(t, err)
	b.provider.mu.Unlock()
	require.NoError(t, <-hanging)
}
