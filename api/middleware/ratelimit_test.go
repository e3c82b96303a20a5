package middleware_test

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"banca/internal/platform/caller"
	"banca/internal/platform/ratelimit"
)

type unlimited struct{}

func (unlimited) Take(context.Context, ratelimit.Client) ratelimit.Verdict {
	return ratelimit.Verdict{Allowed: true}
}

// few admits two requests of each client.
type few struct {
	mu    sync.Mutex
	taken map[ratelimit.Client]int
}

func (f *few) Take(_ context.Context, c ratelimit.Client) ratelimit.Verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken[c]++; f.taken[c] > 2 {
		return ratelimit.Verdict{Limit: 2, Reset: 90 * time.Second, Retry: 1500 * time.Millisecond}
	}
	return ratelimit.Verdict{Allowed: true, Limit: 2, Remaining: 2 - f.taken[c], Reset: 2500 * time.Millisecond}
}

func newFew() *few { return &few{taken: map[ratelimit.Client]int{}} }

func TestRateLimitTellsAndRefuses(t *testing.T) {
	t.Parallel()
	reached := 0
	e := chain(&one{}, newFew(), nil, func(*gin.Context) { reached++ })
	w := request(e, http.MethodGet, "/x")
	assert.Equal(t, "2", w.Header().Get("RateLimit-Limit"))
	assert.Equal(t, "1", w.Header().Get("RateLimit-Remaining"))
	assert.Equal(t, "3", w.Header().Get("RateLimit-Reset"))
	assert.Empty(t, w.Header().Get("Retry-After"))
	request(e, http.MethodGet, "/x")
	w = request(e, http.MethodGet, "/x")
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	assert.Contains(t, w.Body.String(), `"code":"RATE_LIMITED"`)
	assert.Equal(t, "0", w.Header().Get("RateLimit-Remaining"))
	assert.Equal(t, "90", w.Header().Get("RateLimit-Reset"))
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	w = request(e, http.MethodGet, "/admin/bank")
	assert.Equal(t, "a page", w.Body.String())
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	w = request(e, http.MethodGet, "/shelf")
	assert.Equal(t, "a public page", w.Body.String())
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	assert.Equal(t, 2, reached)
}

func TestTheClientThatARequestCountsFor(t *testing.T) {
	t.Parallel()
	device, other := uuid.New(), uuid.New()
	user := &one{Caller: caller.Caller{UserID: uuid.New(), Scope: scopeA}, devices: map[string]uuid.UUID{"held": device, "other": other}}
	address := func(text string) ratelimit.Client { return ratelimit.Address(netip.MustParseAddr(text)) }
	for name, c := range map[string]struct {
		path   string
		header []string
		want   ratelimit.Client
	}{
		"user":                       {"/x", []string{"Authorization", "Bearer good", "Remote", "192.0.2.1:1"}, ratelimit.User(user.UserID)},
		"the same user by cookie":    {"/admin", []string{"Cookie", "session=good"}, ratelimit.Browser(user.UserID)},
		"cookie and token":           {"/admin", []string{"Cookie", "session=good", "Authorization", "Bearer good"}, ratelimit.Browser(user.UserID)},
		"token and cookie":           {"/x", []string{"Cookie", "session=good", "Authorization", "Bearer good"}, ratelimit.User(user.UserID)},
		"token in the panel":         {"/admin", []string{"Remote", "192.0.2.1:1", "Authorization", "Bearer good"}, address("192.0.2.1")},
		"claims a device":            {"/x?deviceId=" + device.String(), []string{"Authorization", "Bearer good", "X-Device-Key", device.String() + ".key", "X-Device-Id", device.String()}, ratelimit.User(user.UserID)},
		"device":                     {"/x", []string{"Authorization", "Bearer held", "Remote", "192.0.2.1:1"}, ratelimit.Device(device)},
		"another of the user's":      {"/x", []string{"Authorization", "Bearer other"}, ratelimit.Device(other)},
		"subprotocol of /ws":         {"/ws", []string{"Sec-WebSocket-Protocol", "banca, bearer.held", "Remote", "192.0.2.1:1"}, ratelimit.Device(device)},
		"query of /ws":               {"/ws?token=held", []string{"Remote", "192.0.2.1:1"}, ratelimit.Device(device)},
		"header of /ws first":        {"/ws?token=other", []string{"Authorization", "Bearer held", "Sec-WebSocket-Protocol", "bearer.good"}, ratelimit.Device(device)},
		"subprotocol before query":   {"/ws?token=other", []string{"Sec-WebSocket-Protocol", "bearer.held"}, ratelimit.Device(device)},
		"invalid token of /ws":       {"/ws?token=bad", []string{"Remote", "192.0.2.1:1"}, address("192.0.2.1")},
		"subprotocol elsewhere":      {"/x", []string{"Sec-WebSocket-Protocol", "banca, bearer.held", "Remote", "192.0.2.1:1"}, address("192.0.2.1")},
		"query elsewhere":            {"/x?token=held", []string{"Remote", "192.0.2.1:1"}, address("192.0.2.1")},
		"no token":                   {"/x", []string{"Remote", "192.0.2.1:1"}, address("192.0.2.1")},
		"invalid token":              {"/x", []string{"Remote", "192.0.2.1:1", "Authorization", "Bearer bad"}, address("192.0.2.1")},
		"invalid cookie":             {"/admin", []string{"Remote", "192.0.2.1:1", "Cookie", "session=bad"}, address("192.0.2.1")},
		"cookie outside the panel":   {"/x", []string{"Remote", "192.0.2.1:1", "Cookie", "session=good"}, address("192.0.2.1")},
		"claims another address":     {"/x", []string{"Remote", "192.0.2.1:1", "X-Forwarded-For", "198.51.100.7"}, address("192.0.2.1")},
		"claims by another header":   {"/x", []string{"Remote", "192.0.2.1:1", "X-Real-Ip", "198.51.100.7", "Forwarded", "for=198.51.100.7"}, address("192.0.2.1")},
		"trusted proxy":              {"/x", []string{"Remote", "10.0.0.1:1", "X-Forwarded-For", "198.51.100.7"}, address("198.51.100.7")},
		"proxy that writes a port":   {"/x", []string{"Remote", "10.0.0.1:1", "X-Forwarded-For", "198.51.100.7:4711"}, address("198.51.100.7")},
		"header that none believes":  {"/x", []string{"Remote", "10.0.0.1:1", "X-Real-Ip", "198.51.100.7"}, address("10.0.0.1")},
		"claims through the proxy":   {"/x", []string{"Remote", "10.0.0.1:1", "X-Forwarded-For", "203.0.113.9, 198.51.100.7"}, address("198.51.100.7")},
		"IPv6":                       {"/x", []string{"Remote", "[2001:db8:1:2:3:4:5:6]:1"}, address("2001:db8:1:2::")},
		"the other half of the same": {"/x", []string{"Remote", "[2001:db8:1:2:ffff::1]:1"}, address("2001:db8:1:2::")},
		"IPv4 in IPv6":               {"/x", []string{"Remote", "[::ffff:192.0.2.1]:1"}, address("192.0.2.1")},
	} {
		f := newFew()
		request(chain(user, f, nil, func(*gin.Context) {}), http.MethodGet, c.path, c.header...)
		assert.Equal(t, map[ratelimit.Client]int{c.want: 1}, f.taken, name)
	}
	assert.NotEqual(t, address("2001:db8:1:2::1"), address("2001:db8:1:3::1"))
}

func TestPreflightsAndExemptPathsAreNotCounted(t *testing.T) {
	t.Parallel()
	f := newFew()
	e := chain(&one{}, f, []string{"https://pos.example.com"}, func(*gin.Context) {})
	for _, path := range []string{"/BancoConsulta", "/admin/static/panel.css"} {
		assert.Empty(t, request(e, http.MethodGet, path).Header().Get("RateLimit-Limit"), path)
	}
	request(e, http.MethodOptions, "/x", "Origin", "https://pos.example.com", "Access-Control-Request-Method", "POST")
	assert.Empty(t, f.taken, "a preflight is no request of its own")
	request(e, http.MethodPost, "/x", "Origin", "https://pos.example.com")
	assert.Len(t, f.taken, 1)
}
