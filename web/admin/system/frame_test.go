package system

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hibiken/asynq"
	"github.com/hibiken/asynqmon"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// framed returns what a client gets of an answer that is written in parts.
func framed(t *testing.T, parts ...string) string {
	t.Helper()
	answer := httptest.NewRecorder()
	w := &framedWriter{ResponseWriter: answer, way: wayBack{Text: "<back>", Language: "es"}}
	for _, part := range parts {
		n, err := w.Write([]byte(part))
		require.NoError(t, err)
		assert.Equal(t, len(part), n)
	}
	require.NoError(t, w.finish())
	return answer.Body.String()
}

func TestOnlyAPageIsFramed(t *testing.T) {
	t.Parallel()
	page := framed(t, `<!doctype html><html><head><link rel="stylesheet" href="/x.css"/><link rel="style`, `sheet" href="https://fonts.example/css?a=b"/></head>`, `<body><p>x</p></body></html>`)
	assert.NotContains(t, page, "https:")
	assert.Contains(t, page, `<link rel="stylesheet" href="/x.css"/></head><body><style>`)
	assert.Contains(t, page, `<nav id="way-back" lang="es"><a href="/admin/tasks">← &lt;back&gt;</a></nav><p>x</p></body></html>`)
	for _, answer := range []string{"", "x", `{"page":"<!doctype html><body>https://fonts.example/"}`} {
		assert.Equal(t, answer, framed(t, answer))
	}
	assert.Equal(t, "<!doctype html>x", framed(t, "<!doctype html>", "x"))
}

// The page of asynqmon itself names no other host.
func TestAsynqmonRequestsNoOtherHost(t *testing.T) {
	t.Parallel()
	monitor := asynqmon.New(asynqmon.Options{RootPath: QueuesPath, RedisConnOpt: asynq.RedisClientOpt{Addr: "127.0.0.1:1"}})
	t.Cleanup(func() { _ = monitor.Close() })
	answer := httptest.NewRecorder()
	w := &framedWriter{ResponseWriter: answer, way: wayBack{Text: "back", Language: "en"}}
	monitor.ServeHTTP(w, httptest.NewRequest(http.MethodGet, QueuesPath, nil))
	require.NoError(t, w.finish())
	assert.Contains(t, answer.Body.String(), `<a href="/admin/tasks">`)
	assert.NotRegexp(t, `(href|src)="(https?:)?//`, answer.Body.String())
}
