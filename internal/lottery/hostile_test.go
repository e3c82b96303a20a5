package lottery

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/egress"
)

// TestHostileSystems has systems that answer with what hurts a careless client.
func TestHostileSystems(t *testing.T) {
	t.Parallel()
	fine := item(`"value":"007"`)
	header := func(name, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(name, value)
			_, _ = io.WriteString(w, body)
		}
	}
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	_, err := packed.Write(bytes.Repeat([]byte(" "), 64<<20))
	require.NoError(t, err)
	require.NoError(t, packed.Close())
	for name, c := range map[string]struct {
		serve http.HandlerFunc
		want  error
	}{
		"a body without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for {
				if _, err := w.Write(bytes.Repeat([]byte("["), 32<<10)); err != nil {
					return
				}
			}
		}, ErrMalformed},
		"a body that drips": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, ErrUnavailable},
		"a bomb":              {header("Content-Encoding", "gzip", bomb.String()), ErrMalformed},
		"packed":              {header("Content-Encoding", "br", fine), ErrMalformed},
		"a page":              {header("Content-Type", "text/html", fine), ErrMalformed},
		"no type":             {header("Content-Type", "", fine), ErrMalformed},
		"no UTF-8":            {header("X", "y", item(`"value":"007","x":"`+"\xff\xfe"+`"`)), ErrMalformed},
		"a mark before it":    {header("X", "y", "\uFEFF"+fine), ErrMalformed},
		"a number of a mile":  {header("X", "y", item(`"value":`+strings.Repeat("9", 100_000))), ErrMalformed},
		"a NUL":               {header("X", "y", "{\"results\":\x00[]}"), ErrMalformed},
		"a header of a mile":  {header("X-Long", strings.Repeat("x", 64<<10), fine), ErrUnavailable},
		"a cut connection":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ErrUnavailable},
		"deep":                {header("X", "y", strings.Repeat(`{"results":`, 5_000)), ErrMalformed},
		"a lie about lengths": {header("Content-Length", "500", fine), ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.serve)
			t.Cleanup(server.Close)
			caller := client(t, Options{
				Sources: map[string]string{"official": server.URL}, Secrets: map[string]string{"official": secretText}, Timeout: 500 * time.Millisecond,
			})
			f := caller.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
			require.ErrorIs(t, f.Err, c.want)
			assert.Empty(t, f.Value)
			assert.LessOrEqual(t, len(f.Evidence.Body), maxEvidence)
			assert.NotContains(t, f.Evidence.Body, "\x00")
		})
	}
}

func TestAMissingResponseTimesOut(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, listener.Close()) })
	c := client(t, Options{
		Sources: map[string]string{"official": "http://" + listener.Addr().String()}, Secrets: map[string]string{"official": secretText}, Timeout: 50 * time.Millisecond,
	})
	f := c.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
	require.ErrorIs(t, f.Err, ErrUnavailable)
	assert.Zero(t, f.Evidence.Status)
}

// Redirects are not followed, and the secret is sent to no other host.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(inside.Close)
	for _, target := range []string{inside.URL, "http://169.254.169.254/latest/meta-data/", "/elsewhere"} {
		c := serving(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) })
		f := c.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
		require.ErrorIs(t, f.Err, ErrRefused)
		require.ErrorIs(t, c.CloseDraw(t.Context(), decoded(t, []byte(adapter)), draw()), ErrRefused)
	}
	assert.Zero(t, reached.Load())
}

// A name that was harmless may lead inwards when it is dialled.
func TestNamesThatResolveToInternalAddressesAreNotDialled(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(inside.Close)
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	require.NoError(t, err)
	c := client(t, Options{Sources: map[string]string{"official": "https://lottery.example:" + port}, Secrets: map[string]string{"official": secretText}})
	for _, resolved := range []string{"127.0.0.1:" + port, "169.254.169.254:" + port, "[::1]:" + port} {
		c.resolve = func(string) string { return resolved }
		f := c.Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
		require.ErrorIs(t, f.Err, ErrUnavailable)
		require.ErrorIs(t, f.Err, egress.ErrAddress)
	}
	assert.Zero(t, reached.Load())
}

func TestCertificatesAreVerified(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(server.Close)
	o := Options{Sources: map[string]string{"official": server.URL}, Secrets: map[string]string{"official": secretText}}
	f := client(t, o).Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
	require.ErrorIs(t, f.Err, ErrUnavailable)
	require.ErrorContains(t, f.Err, "certificate")
	transport, ok := server.Client().Transport.(*http.Transport)
	require.True(t, ok)
	o.RootCAs = transport.TLSClientConfig.RootCAs
	f = client(t, o).Fetch(t.Context(), decoded(t, []byte(adapter)), draw())[0]
	require.ErrorIs(t, f.Err, ErrNotYet)
}
