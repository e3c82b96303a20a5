package exchange

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/businessday"
)

const secret = "s3cr3t-t0k3n"

func day(t testing.TB, text string) businessday.Day {
	t.Helper()
	d, err := businessday.Parse(text)
	require.NoError(t, err)
	return d
}

// serving starts a source that answers with h, and a client of it.
func serving(t testing.TB, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := New(Options{
		URL: server.URL + "/v1/rates?kind=official", Secret: secret, Timeout: 500 * time.Millisecond,
		Pairs: []Pair{{"USD", "VES"}, {"EUR", "VES"}},
	})
	require.NoError(t, err)
	return c
}

// answering starts a source that always answers with a document.
func answering(t testing.TB, body string) *Client {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, body)
	})
}

func TestFetch(t *testing.T) {
	t.Parallel()
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/rates?date=2026-11-23&kind=official", r.URL.RequestURI())
		assert.Equal(t, "Bearer "+secret, r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"source": "BC", "date": "2026-11-24", "rates": [{"base": "USD", "quote": "VES", "rate": "245.66480000", "note": 1},
			{"base": "EUR", "quote": "VES", "rate": 281.5}, {"base": "JPY", "quote": "VES", "rate": null}, {"base": "JPY", "quote": "VES", "rate": null}]}`)
	})
	a, err := c.Fetch(t.Context(), day(t, "2026-11-23"))
	require.NoError(t, err)
	require.Equal(t, &Answer{Day: day(t, "2026-11-24"), Rates: map[Pair]string{{"USD", "VES"}: "245.66480000", {"EUR", "VES"}: "281.5"}}, a)
}

func TestDocumentsThatAreNoAnswer(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"garbage":         `<html>503</html>`,
		"empty":           ``,
		"an array":        `[]`,
		"no date":         `{"rates": []}`,
		"a wrong date":    `{"date": "2026-02-30", "rates": []}`,
		"a repeated name": `{"date": "2026-11-23", "date": "2026-11-24", "rates": []}`,
		"two rates":       `{"date": "2026-11-23", "rates": [{"base": "USD", "quote": "VES", "rate": "1"}, {"base": "USD", "quote": "VES", "rate": "2"}]}`,
		"trailing data":   `{"date": "2026-11-23", "rates": []} {}`,
		"no UTF-8":        "{\"date\": \"2026-11-23\", \"rates\": [], \"x\": \"\xff\"}",
		"deep":            strings.Repeat(`{"x":`, 20_000),
		"too many":        `{"date": "2026-11-23", "rates": [` + strings.TrimSuffix(strings.Repeat(`{"base":"A"},`, maxRates+1), ",") + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := answering(t, body).Fetch(t.Context(), day(t, "2026-11-23"))
			require.ErrorIs(t, err, ErrMalformed)
		})
	}
	for _, rate := range []string{`true`, `null`, `{}`, `["1"]`, `""`} {
		a, err := answering(t, `{"date": "2026-11-23", "rates": [{"base": "USD", "quote": "VES", "rate": `+rate+`}]}`).Fetch(t.Context(), day(t, "2026-11-23"))
		require.NoError(t, err)
		require.Equal(t, map[Pair]string{{"USD", "VES"}: ""}, a.Rates, "a text without a rate is refused by the ledger")
	}
}

func TestHostileSources(t *testing.T) {
	t.Parallel()
	const fine = `{"date": "2026-11-23", "rates": []}`
	header := func(name, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(name, value)
			_, _ = io.WriteString(w, fine)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data")
			w.WriteHeader(code)
		}
	}
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
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
		}, ErrUnavailable},
		"packed":           {header("Content-Encoding", "br"), ErrMalformed},
		"a page":           {header("Content-Type", "text/html"), ErrMalformed},
		"a long header":    {header("X-Long", strings.Repeat("x", 64<<10)), ErrUnavailable},
		"a cut connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, ErrUnavailable},
		"a redirect":       {status(http.StatusFound), ErrRefused},
		"no content":       {status(http.StatusNoContent), ErrRefused},
		"no right":         {status(http.StatusUnauthorized), ErrRefused},
		"too many calls":   {status(http.StatusTooManyRequests), ErrUnavailable},
		"down":             {status(http.StatusBadGateway), ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := serving(t, c.serve).Fetch(t.Context(), day(t, "2026-11-23"))
			require.ErrorIs(t, err, c.want)
			require.NotContains(t, err.Error(), secret)
		})
	}
}

// A name that leads to this machine or to the metadata service of a cloud is refused when it is dialled.
func TestPrivateAddressesBehindAName(t *testing.T) {
	t.Parallel()
	for _, resolved := range []string{"127.0.0.1:443", "169.254.169.254:443", "[fd00:ec2::254]:443"} {
		c, err := New(Options{URL: "https://rates.example/v1", Pairs: []Pair{{"USD", "VES"}}})
		require.NoError(t, err)
		c.resolve = func(string) string { return resolved }
		_, err = c.Fetch(t.Context(), day(t, "2026-11-23"))
		require.ErrorIs(t, err, ErrRefused, resolved)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	pairs := []Pair{{"USD", "VES"}}
	for _, address := range []string{
		"", "rates.example", "http://rates.example/", "ftp://rates.example", "https://user:hunter22@rates.example", "https://169.254.169.254/", "http://8.8.8.8/",
		"https://rates.example/#hunter22", "https://" + strings.Repeat("x", maxURL),
	} {
		_, err := New(Options{URL: address, Pairs: pairs})
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "hunter22")
	}
	for _, o := range []Options{{Pairs: nil}, {Pairs: make([]Pair, MaxPairs+1)}, {Pairs: pairs, Secret: "short"}, {Pairs: pairs, Secret: "with a\nbreak"}} {
		o.URL = "https://rates.example"
		_, err := New(o)
		require.Error(t, err)
	}
	c, err := New(Options{URL: "https://rates.example:8443/x", Pairs: pairs})
	require.NoError(t, err)
	require.Equal(t, "rates.example:8443", c.Source())
	require.Equal(t, pairs, c.Pairs())
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"date": "2026-11-23", "rates": [{"base": "USD", "quote": "VES", "rate": "245.66480000"}]}`))
	c := &Client{options: Options{Pairs: []Pair{{"USD", "VES"}}}}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := c.read(body)
		if err == nil && (a.Day.IsZero() || len(a.Rates) > 1) {
			t.Fatalf("%+v", a)
		}
	})
}
