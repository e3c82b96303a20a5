package lottery

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheRequestIsWhatTheTemplatesSay(t *testing.T) {
	t.Parallel()
	var method, uri, token, body string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		method, uri, token, body = r.Method, r.RequestURI, r.Header.Get("Authorization"), string(raw)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"results":[{"external_id":"TRIOACTIVO-20260302-0800","value":"007","sign":"ARI","flags":["MEGA"],"wildcard":null,"echo":"`+secretText+`"}]}`)
	})
	cfg := decoded(t, []byte(adapter))
	fetched := c.Fetch(t.Context(), cfg, draw())
	require.Len(t, fetched, 1)
	f := fetched[0]
	require.NoError(t, f.Err)
	assert.Equal(t, "GET", method)
	assert.Equal(t, "/api/results?game=TRIOACTIVO&date=2026-03-02", uri)
	assert.Equal(t, "Bearer "+secretText, token)
	assert.Equal(t, Fetched{Source: "official", Trusted: true, Value: "007", Sign: "ARI", Flags: []string{"MEGA"}, Evidence: f.Evidence}, f)
	assert.Equal(t, http.StatusOK, f.Evidence.Status)
	assert.Len(t, f.Evidence.SHA256, 64)
	assert.NotContains(t, f.Evidence.Body, secretText)
	assert.Contains(t, f.Evidence.Body, `"echo":"***"`)

	require.NoError(t, c.CloseDraw(t.Context(), cfg, draw()))
	assert.Equal(t, "POST", method)
	assert.Equal(t, "/api/draws/TRIOACTIVO-20260302-0800/close", uri)
	assert.JSONEq(t, `{"draw":"TRIOACTIVO-20260302-0800"}`, body)
}

func TestASecretInTheURLIsNotInTheEvidence(t *testing.T) {
	t.Parallel()
	var got string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.URL.Query().Get("key")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "no such key: "+r.URL.RawQuery)
	})
	raw := with(t, asking("url", "{base}/results?key={secret:official}&id={external_id}"))
	f := c.Fetch(t.Context(), decoded(t, raw), draw())[0]
	require.ErrorIs(t, f.Err, ErrRefused)
	assert.Equal(t, secretText, got)
	for _, text := range []string{f.Evidence.URL, f.Evidence.Body, f.Err.Error()} {
		assert.NotContains(t, text, "s3cr3t")
	}
	assert.Contains(t, f.Evidence.URL, "key=%2A%2A%2A")
}

func TestStatusesSayWhatToDo(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]error{
		200: ErrNotYet, 204: ErrNotYet, 301: ErrRefused, 307: ErrRefused, 400: ErrRefused, 401: ErrRefused, 404: ErrRefused,
		408: ErrUnavailable, 425: ErrUnavailable, 429: ErrUnavailable, 500: ErrUnavailable, 503: ErrUnavailable,
	} {
		c := serving(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		f := c.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
		require.ErrorIs(t, f.Err, want, status)
		assert.Equal(t, status, f.Evidence.Status)
		err := c.CloseDraw(t.Context(), decoded(t, []byte(adapter)), draw())
		if status < 300 {
			require.NoError(t, err, status)
			continue
		}
		require.ErrorIs(t, err, want, status)
	}
}

// A source that fails is left alone, while the others are asked.
func TestTheCircuitOpensAndCloses(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	var works atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		if !works.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	failing := func(pause time.Duration) *Client {
		return client(t, Options{Sources: map[string]string{"official": server.URL}, Secrets: map[string]string{"official": secretText}, Failures: 3, Pause: pause})
	}
	c := failing(time.Hour)
	cfg := decoded(t, []byte(adapter))
	for range 10 {
		f := c.Fetch(t.Context(), cfg, draw())[0]
		require.ErrorIs(t, f.Err, ErrUnavailable)
	}
	assert.Equal(t, int32(3), calls.Load())

	c = failing(50 * time.Millisecond)
	for range 3 {
		require.ErrorIs(t, c.Fetch(t.Context(), cfg, draw())[0].Err, ErrUnavailable)
	}
	works.Store(true)
	require.Eventually(t, func() bool {
		return c.CloseDraw(t.Context(), cfg, draw()) == nil
	}, time.Minute, 10*time.Millisecond)
}

func TestACancelledFetchDoesNotOpenTheCircuit(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c := serving(t, func(_ http.ResponseWriter, r *http.Request) { calls.Add(1); <-r.Context().Done() })
	cfg := decoded(t, []byte(adapter))
	for range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		before := calls.Load()
		go func() {
			for calls.Load() == before {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		f := c.Fetch(ctx, cfg, draw())[0]
		require.ErrorIs(t, f.Err, ErrUnavailable)
		require.ErrorIs(t, f.Err, context.Canceled)
	}
	assert.Equal(t, int32(8), calls.Load(), "the circuit stays closed")
}

func TestASourceWithoutAnAddressOrSecretIsNotCalled(t *testing.T) {
	t.Parallel()
	c := client(t, Options{})
	f := c.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
	require.ErrorIs(t, f.Err, ErrConfig)
	require.ErrorIs(t, f.Err, errNoBase)
	c = client(t, Options{Sources: map[string]string{"official": "https://lottery.example"}})
	f = c.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
	require.ErrorIs(t, f.Err, errNoSecret)
	raw := with(t, func(s map[string]any) {
		delete(s, "headers")
		delete(s, "close")
		asking("url", "https://elsewhere.example/{external_id}")(s)
	})
	f = c.Fetch(t.Context(), decoded(t, raw), draw())[0]
	require.ErrorIs(t, f.Err, errHost)
	require.Len(t, c.Check(raw), 1)
	assert.Equal(t, "api_config.sources[0].result.url", c.Check(raw)[0].Location)
	assert.Empty(t, client(t, Options{AllowedHosts: []string{"Elsewhere.example"}}).Check(raw))
}

func TestBasesAndSecretsAreChecked(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"http://lottery.example", "https://user:pw@lottery.example", "https://lottery.example/?a=b", "ftp://lottery.example", "lottery.example", "",
		"https://169.254.169.254/", "http://203.0.113.7", "https://lottery.example/a/../b", "https://0.0.0.0/", "https://lottery.example/#x",
	} {
		_, err := New(Options{Sources: map[string]string{"official": base}})
		require.Error(t, err, base)
	}
	for _, base := range []string{"https://lottery.example/v1/", "http://127.0.0.1:8080", "http://10.2.3.4/x", "http://localhost:9/mirror"} {
		_, err := New(Options{Sources: map[string]string{"official": base}})
		require.NoError(t, err, base)
	}
	for _, secret := range []string{"short", strings.Repeat("x", 501), "with\nline-end"} {
		_, err := New(Options{Secrets: map[string]string{"official": secret}})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), secret)
	}
}

// An address that a person types for a source is refused by its host: by itself where nothing may be called there, and otherwise unless it is allowed.
// A listed host without a port is not listed with one.
func TestHostsOfTypedAddresses(t *testing.T) {
	t.Parallel()
	refusal := func(c *Client, address string) string {
		details := c.Check(with(t, func(s map[string]any) {
			delete(s, "headers")
			delete(s, "close")
			asking("url", address+"/{external_id}")(s)
		}))
		if len(details) == 0 {
			return ""
		}
		require.Len(t, details, 1, address)
		require.Equal(t, "api_config.sources[0].result.url", details[0].Location, address)
		return string(details[0].Message)
	}
	const never, unlisted = "must be https, without a user", "has a host that is not in LOTTERY_ALLOWED_HOSTS"
	listed := []string{
		"lottery.example", "127.0.0.1", "localhost", "10.1.2.3", "192.168.1.1", "169.254.169.254", "[fe80::1]", "0.0.0.0", "[::]", "[fd00::1]",
		"[64:ff9b::a9fe:a9fe]", "[::ffff:169.254.169.254]", "100.100.100.200", "203.0.113.7",
	}
	none, all := client(t, Options{}), client(t, Options{AllowedHosts: listed})
	for address, want := range map[string][2]string{ // the refusal without and with the host in the list
		"https://lottery.example":          {unlisted, ""},
		"https://lottery.example:8443":     {unlisted, unlisted},
		"http://lottery.example":           {never, never},
		"https://user:pw@lottery.example":  {never, never},
		"http://127.0.0.1":                 {unlisted, ""},
		"http://127.0.0.2":                 {unlisted, unlisted},
		"http://localhost":                 {unlisted, ""},
		"http://10.1.2.3":                  {unlisted, ""},
		"https://192.168.1.1":              {unlisted, ""},
		"http://203.0.113.7":               {never, never},
		"https://203.0.113.7":              {unlisted, ""},
		"https://169.254.169.254":          {never, never},
		"http://169.254.169.254":           {never, never},
		"https://[fe80::1]":                {never, never},
		"https://0.0.0.0":                  {never, never},
		"https://[::]":                     {never, never},
		"https://[fd00::1]":                {never, never},
		"https://[64:ff9b::a9fe:a9fe]":     {never, never},
		"https://[::ffff:169.254.169.254]": {never, never},
		"https://100.100.100.200":          {never, never},
	} {
		assert.Equal(t, want[0], refusal(none, address), "%s, unlisted", address)
		assert.Equal(t, want[1], refusal(all, address), "%s, listed", address)
	}
}
