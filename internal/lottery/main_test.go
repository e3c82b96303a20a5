package lottery

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const secretText = "s3cr3t-t0k3n/+&"

// adapter is an api_config of one source that begins with {base}.
const adapter = `{"external_game":"TRIOACTIVO","sources":[{"name":"official","trusted":true,
	"headers":{"Authorization":"Bearer {secret:official}"},"external_id":"{game}-{date:YYYYMMDD}-{time:HHMM}",
	"close":{"method":"POST","url":"{base}/draws/{external_id}/close","body":"{\"draw\":\"{external_id}\"}"},
	"result":{"method":"GET","url":"{base}/results?game={game}&date={date}","items":"results","match":{"external_id":"{external_id}"},
		"value":"value","sign":"sign","flags":"flags","wildcard":"wildcard"}}],"verify":{"policy":"trusted"}}`

// with returns the adapter with its document changed.
func with(t testing.TB, change func(source map[string]any)) []byte {
	t.Helper()
	var document struct {
		ExternalGame string           `json:"external_game"`
		Sources      []map[string]any `json:"sources"`
		Verify       map[string]any   `json:"verify"`
	}
	require.NoError(t, json.Unmarshal([]byte(adapter), &document))
	change(document.Sources[0])
	raw, err := json.Marshal(document)
	require.NoError(t, err)
	return raw
}

// asking changes how the source is asked for results.
func asking(key string, value any) func(source map[string]any) {
	return func(source map[string]any) {
		if result, ok := source["result"].(map[string]any); ok {
			result[key] = value
		}
	}
}

func decoded(t testing.TB, raw []byte) *Config {
	t.Helper()
	cfg, err := Decode(raw)
	require.NoError(t, err)
	return cfg
}

// draw is of 08:00 in Caracas.
func draw() DrawRef {
	return DrawRef{GameCode: "trio-activo", DrawNumber: "1", Time: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), Zone: time.FixedZone("VET", -4*60*60)}
}

func client(t testing.TB, o Options) *Client {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	c, err := New(o)
	require.NoError(t, err)
	return c
}

// serving starts a system that answers with h, and a client of it.
func serving(t testing.TB, h http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return client(t, Options{Sources: map[string]string{"official": server.URL + "/api"}, Secrets: map[string]string{"official": secretText}})
}

// answering starts a system that always answers with a document.
func answering(t testing.TB, body string) *Client {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte(body))
	})
}
