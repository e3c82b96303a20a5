package bank

import (
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/alerts"
)

func TestSourceAddress(t *testing.T) {
	t.Parallel()
	g := &gatekeeper{
		allowed: []netip.Prefix{netip.MustParsePrefix("203.0.113.7/32")},
		proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")},
		tls:     true,
	}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		permitted  bool
	}{
		{"the bank", "203.0.113.7:1", nil, true},
		{"the bank, mapped to IPv6", "[::ffff:203.0.113.7]:1", nil, true},
		{"somebody", "198.51.100.1:1", nil, false},
		{"somebody says he is the bank", "198.51.100.1:1", []string{"203.0.113.7"}, false},
		{"the bank through a proxy", "10.0.0.1:1", []string{"203.0.113.7"}, true},
		{"through a proxy, mapped", "[::ffff:10.0.0.1]:1", []string{"::ffff:203.0.113.7"}, true},
		{"through two proxies", "10.0.0.1:1", []string{"203.0.113.7, 10.2.3.4"}, true},
		{"through two proxies, two headers", "10.0.0.1:1", []string{"203.0.113.7", "10.2.3.4"}, true},
		{"through an IPv6 proxy with a port", "[fd00::1]:1", []string{"203.0.113.7:5555"}, true},
		{"forged on the left", "10.0.0.1:1", []string{"203.0.113.7, 198.51.100.1"}, false},
		{"forged in another header", "10.0.0.1:1", []string{"203.0.113.7", "198.51.100.1"}, false},
		{"a proxy that is not trusted", "192.0.2.1:1", []string{"203.0.113.7"}, false},
		{"the proxy itself", "10.0.0.1:1", nil, false},
		{"no address", "10.0.0.1:1", []string{"203.0.113.7, unknown"}, false},
		{"nothing between the commas", "10.0.0.1:1", []string{"203.0.113.7,,"}, false},
		{"no peer", "@", []string{"203.0.113.7"}, false},
		{"a socket's path", "", nil, false},
	} {
		from, ok := g.source(c.peer, c.forwarded)
		require.Equal(t, c.permitted, ok && g.permits(from), c.name)
	}
	require.True(t, g.encrypted(true, "198.51.100.1:1", nil))
	require.False(t, g.encrypted(false, "198.51.100.1:1", []string{"https"}), "not a trusted proxy's word")
	require.True(t, g.encrypted(false, "10.0.0.1:1", []string{"https"}))
	require.True(t, g.encrypted(false, "10.0.0.1:1", []string{"http", "https"}))
	require.False(t, g.encrypted(false, "10.0.0.1:1", []string{"https, http"}), "the nearest proxy counts")
	require.False(t, g.encrypted(false, "10.0.0.1:1", nil))
	require.Equal(t, "2001:db8:1:2::/64", sourceKey(netip.MustParseAddr("2001:db8:1:2::9")))
}

// The order of the checks and their answers are the contract's; nothing of a refused call is read further.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
		o.NextToken = nextToken
	})
	b.expect(t)
	all := func(c *Call) { // everything wrong at once: the first check decides
		c.Method, c.Peer, c.Authorization, c.Body = http.MethodGet, "198.51.100.1:1", nil, strings.NewReader("[")
	}
	for _, c := range []struct {
		name    string
		status  int
		outcome string
		change  func(*Call)
	}{
		{"method first", 405, CheckMethod, all},
		{"address next", 403, CheckAddress, func(c *Call) { all(c); c.Method = http.MethodPost }},
		{"size before token", 413, CheckSize, func(c *Call) { c.Authorization, c.Body = nil, strings.NewReader(strings.Repeat("x", 20<<10)) }},
		{"token before JSON", 401, CheckToken, func(c *Call) { c.Authorization, c.Body = nil, strings.NewReader("[") }},
		{"forged header", 403, CheckAddress, func(c *Call) { c.Peer, c.ForwardedFor = "198.51.100.1:1", []string{bankIP} }},
		{"wrong token", 401, CheckToken, func(c *Call) { c.Authorization = []string{nextToken[1:] + "0"} }},
		{"two headers, both right", 401, CheckToken, func(c *Call) { c.Authorization = []string{testToken, testToken} }},
		{"two headers, right and wrong", 401, CheckToken, func(c *Call) { c.Authorization = []string{testToken, "x"} }},
		{"bearer", 401, CheckToken, func(c *Call) { c.Authorization = []string{"Bearer " + testToken} }},
		{"empty token", 401, CheckToken, func(c *Call) { c.Authorization = []string{""} }},
		{"duplicate key in another case", 400, CheckJSON, func(c *Call) { c.Body = strings.NewReader(`{"monto":"9",` + notifyBody()[1:]) }},
		{"trailing data", 400, CheckJSON, func(c *Call) { c.Body = strings.NewReader(notifyBody() + "{}") }},
		{"a list", 400, CheckJSON, func(c *Call) { c.Body = strings.NewReader("[" + notifyBody() + "]") }},
		{"no body", 400, CheckJSON, func(c *Call) { c.Body = nil }},
		{"an exponent", 400, CheckFields, func(c *Call) { c.Body = strings.NewReader(notifyBody("Monto", "1e9")) }},
		{"a comma", 400, CheckFields, func(c *Call) { c.Body = strings.NewReader(notifyBody("Monto", "150,00")) }},
	} {
		wrong := call(PhaseNotification, notifyBody())
		c.change(wrong)
		require.False(t, b.ask(t, c.status, wrong), c.name)
		e := b.lastEvent(t)
		require.Equal(t, c.outcome, e.Outcome, c.name)
		require.Equal(t, c.status, e.Status, c.name)
		require.False(t, e.Checks[len(e.Checks)-1].OK, c.name)
		for _, passed := range e.Checks[:len(e.Checks)-1] {
			require.True(t, passed.OK, c.name)
		}
	}
	require.Zero(t, b.count(t, "bank_payments", "true"))
	require.True(t, b.ask(t, 200, call(PhaseQuery, queryBody())))
	next := call(PhaseQuery, queryBody())
	next.Authorization = []string{nextToken}
	require.True(t, b.ask(t, 200, next))
}

func TestWithoutTokenOrAddressEverythingIsRefused(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*Options){
		func(o *Options) { o.AllowedIPs = nil },
		func(o *Options) { o.Token = "" },
	} {
		b := setup(t, change)
		c := call(PhaseQuery, queryBody())
		require.False(t, b.ask(t, http.StatusForbidden, c))
		c.Authorization = []string{""}
		require.False(t, b.ask(t, http.StatusForbidden, c))
		i, err := b.Identity(t.Context(), b.admin)
		require.NoError(t, err)
		require.False(t, i.Complete)
	}
}

func TestTLSIsRequired(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) {
		o.RequireTLS = true
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")}
	})
	plain := call(PhaseQuery, queryBody())
	require.False(t, b.ask(t, http.StatusForbidden, plain))
	require.Equal(t, CheckTLS, b.lastEvent(t).Outcome)
	for _, c := range []*Call{call(PhaseQuery, queryBody()), call(PhaseQuery, queryBody())} {
		if c.Encrypted = true; c.Peer == "" {
			c.Peer = "10.0.0.1:1"
		}
		require.False(t, b.ask(t, http.StatusOK, c), "nobody is known")
	}
	proxied := call(PhaseQuery, queryBody())
	proxied.Peer, proxied.ForwardedFor, proxied.ForwardedProto = "10.0.0.1:1", []string{bankIP}, []string{"https"}
	require.False(t, b.ask(t, http.StatusOK, proxied))
}

// A token keeps the record of its use when it moves from one slot to the other, and a rotation never refuses the
// bank.
func TestTokenRotation(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.NextToken = nextToken })
	used := func(token string) {
		c := call(PhaseQuery, queryBody())
		c.Authorization = []string{token}
		b.ask(t, http.StatusOK, c)
	}
	used(strings.ToUpper(testToken)) // the same UUID
	first := b.Clock.Now()
	b.Clock.Advance(time.Hour)
	used(nextToken)
	i, err := b.Identity(t.Context(), b.admin)
	require.NoError(t, err)
	require.Equal(t, []TokenState{
		{Slot: SlotCurrent, Set: true, Masked: "••••b3c4", LastUsedAt: first.UTC()}, {Slot: SlotNext, Set: true, Masked: "••••7c8d", LastUsedAt: b.Clock.Now()},
	}, i.Tokens)
	require.NoError(t, b.Flush(t.Context()))

	b.start(t, func(o *Options) { o.Token = nextToken })
	i, err = b.Identity(t.Context(), b.admin)
	require.NoError(t, err)
	require.Equal(t, []TokenState{{Slot: SlotCurrent, Set: true, Masked: "••••7c8d", LastUsedAt: b.Clock.Now()}, {Slot: SlotNext}}, i.Tokens)
	old := call(PhaseQuery, queryBody())
	require.False(t, b.ask(t, http.StatusUnauthorized, old))
	require.NotContains(t, b.lastEvent(t).Address+string(b.lastEvent(t).Raw), testToken)
}

// A flood makes few rows, whatever it sends; its size is in the alerts.
func TestFloodsAreSampled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const calls = 5_000
	statuses := map[int]int{}
	for range calls {
		c := call(PhaseNotification, notifyBody())
		c.Peer = "198.51.100.1:1"
		statuses[b.Answer(t.Context(), c).Status]++
	}
	for i := range 2 * maxAlerts {
		c := call(PhaseNotification, notifyBody())
		c.Peer = netip.AddrPortFrom(netip.AddrFrom4([4]byte{100, 64, byte(i >> 8), byte(i)}), 1).String()
		b.Answer(t.Context(), c)
	}
	require.Equal(t, map[int]int{http.StatusForbidden: 60, http.StatusTooManyRequests: calls - 60}, statuses)
	for range 3 {
		require.NoError(t, b.Flush(t.Context()))
	}
	require.Equal(t, sampleTotal, b.count(t, "bank_events", "outcome = 'address'"))
	require.Equal(t, samplePerAddress, b.count(t, "bank_events", "address = '198.51.100.1'"))
	require.Equal(t, 1, b.count(t, "security_alerts", "address = '198.51.100.1' AND count = $1", calls))
	require.LessOrEqual(t, b.count(t, "security_alerts", "true"), maxAlerts+1)
	require.Equal(t, 1, b.count(t, "security_alerts", "address = $1 AND count > 900", manyAddresses))

	found, total, err := b.alerts.List(t.Context(), b.admin, &alerts.Filter{Kind: alerts.AddressBlocked, Open: true, Limit: 1})
	require.NoError(t, err)
	require.Greater(t, total, int64(900))
	require.NoError(t, b.alerts.Acknowledge(t.Context(), b.admin, found[0].ID))
	_, after, err := b.alerts.List(t.Context(), b.admin, &alerts.Filter{Kind: alerts.AddressBlocked, Open: true, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, total-1, after)
}

// Wrong tokens from the bank's own address are held back, and still the right one passes at once.
func TestWrongTokensDoNotLockOutTheBank(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	last := 0
	for range 200 {
		c := call(PhaseQuery, queryBody())
		c.Authorization = []string{"wrong"}
		last = b.Answer(t.Context(), c).Status
	}
	require.Equal(t, http.StatusTooManyRequests, last)
	require.True(t, b.query(t))
}

func TestTheBanksOwnBucket(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.CallLimit = 3 })
	for range 3 {
		b.query(t)
	}
	require.False(t, b.ask(t, http.StatusTooManyRequests, call(PhaseQuery, queryBody())))
	b.Clock.Advance(time.Minute)
	b.query(t)
}

// A body that is cut off is not reported as too large.
func TestATruncatedBodyIsNotTooLarge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := call(PhaseNotification, "")
	c.Body = iotest.ErrReader(io.ErrUnexpectedEOF)
	require.False(t, b.ask(t, http.StatusBadRequest, c))
	require.Equal(t, CheckSize, b.lastEvent(t).Outcome)
}
