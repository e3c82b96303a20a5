package clientaddr_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/platform/clientaddr"
)

// Every form in which proxies write an address, as seen of nginx, HAProxy, Envoy, Azure and AWS.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "203.0.113.7:4711": "203.0.113.7", "2001:db8::1": "2001:db8::1", "[2001:db8::1]": "2001:db8::1",
		"[2001:db8::1]:4711": "2001:db8::1", "::ffff:203.0.113.7": "203.0.113.7", "[::ffff:203.0.113.7]:80": "203.0.113.7", "fe80::1%eth0": "fe80::1",
	} {
		got, ok := clientaddr.Parse(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got.String(), text)
	}
	for _, text := range []string{"", "unknown", "_hidden", "203.0.113", "203.0.113.7:", "203.0.113.7:99999", "for=203.0.113.7", "localhost", "@", "1.2.3.4, 5.6.7.8"} {
		_, ok := clientaddr.Parse(text)
		assert.False(t, ok, text)
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	proxies := clientaddr.Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		want      string
		ok        bool
	}{
		"a client without a proxy":         {peer: "203.0.113.7:1", want: "203.0.113.7", ok: true},
		"a client that makes up a header":  {peer: "203.0.113.7:1", forwarded: []string{"198.51.100.1"}, want: "203.0.113.7", ok: true},
		"a proxy by itself":                {peer: "10.0.0.1:1", want: "10.0.0.1", ok: true},
		"one proxy":                        {peer: "10.0.0.1:1", forwarded: []string{"203.0.113.7"}, want: "203.0.113.7", ok: true},
		"one proxy that writes ports":      {peer: "10.0.0.1:1", forwarded: []string{"203.0.113.7:4711"}, want: "203.0.113.7", ok: true},
		"IPv6 with a port":                 {peer: "[2001:db8:ffff::1]:1", forwarded: []string{"[2001:db8::9]:4711"}, want: "2001:db8::9", ok: true},
		"two proxies":                      {peer: "10.0.0.1:1", forwarded: []string{"203.0.113.7, 10.0.0.2"}, want: "203.0.113.7", ok: true},
		"two proxies, a header each":       {peer: "10.0.0.1:1", forwarded: []string{"203.0.113.7", "10.0.0.2"}, want: "203.0.113.7", ok: true},
		"a client that writes on the left": {peer: "10.0.0.1:1", forwarded: []string{"127.0.0.1, 203.0.113.7"}, want: "203.0.113.7", ok: true},
		"a proxy that names nonsense":      {peer: "10.0.0.1:1", forwarded: []string{"unknown"}, want: "10.0.0.1"},
		"nonsense behind two":              {peer: "10.0.0.1:1", forwarded: []string{"unknown, 10.0.0.2"}, want: "10.0.0.2"},
		"an empty last part":               {peer: "10.0.0.1:1", forwarded: []string{"203.0.113.7,"}, want: "10.0.0.1"},
		"only proxies":                     {peer: "10.0.0.1:1", forwarded: []string{"10.0.0.3,10.0.0.2"}, want: "10.0.0.3", ok: true},
		"too many hops":                    {peer: "10.0.0.1:1", forwarded: []string{"203.0.113.7," + strings.Repeat("10.0.0.2,", 40) + "10.0.0.2"}, want: "10.0.0.2", ok: true},
		"a socket without addresses":       {peer: "@", want: "invalid IP"},
	} {
		got, ok := proxies.Source(c.peer, c.forwarded)
		assert.Equal(t, c.want, got.String(), name)
		assert.Equal(t, c.ok, ok, name)
	}
}

// Only X-Forwarded-For is believed.
func TestOnlyXForwardedForIsTrusted(t *testing.T) {
	t.Parallel()
	proxies := clientaddr.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	for _, header := range []string{"X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP", "X-Appengine-Remote-Addr"} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = "10.0.0.1:1"
		r.Header.Set(header, "203.0.113.7")
		assert.Equal(t, "10.0.0.1", proxies.Of(r).String(), header)
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"203.0.113.7": "203.0.113.7", "2001:db8:1:2:3::9": "2001:db8:1:2::", "::ffff:203.0.113.7": "203.0.113.7"} {
		assert.Equal(t, want, clientaddr.Network(netip.MustParseAddr(text), clientaddr.SubscriberBits).String(), text)
	}
	assert.Equal(t, "2001:db8:1::", clientaddr.Network(netip.MustParseAddr("2001:db8:1:2:3::9"), clientaddr.SiteBits).String())
	assert.False(t, clientaddr.Network(netip.Addr{}, clientaddr.SiteBits).IsValid())
}

func FuzzSource(f *testing.F) {
	f.Add("10.0.0.1:1", "203.0.113.7:4711, 10.0.0.2")
	f.Add("[::1]:1", "[2001:db8::1]")
	proxies := clientaddr.Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		from, ok := proxies.Source(peer, []string{forwarded})
		if ok && (!from.IsValid() || from.Is4In6() || from.Zone() != "") {
			t.Errorf("%q, %q: %v", peer, forwarded, from)
		}
	})
}
