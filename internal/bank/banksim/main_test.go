package banksim

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const testToken = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

// received is a request as the bank's side of the wire saw it.
type received struct {
	path, authorization, body string
	header                    http.Header
}

// webhooks is a target that records its requests and answers like the real webhooks.
type webhooks struct {
	mu   sync.Mutex
	seen []received
}

// record keeps a request.
func (w *webhooks) record(t *testing.T, r *http.Request) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	assert.NoError(t, err)
	assert.Equal(t, http.MethodPost, r.Method)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, received{r.URL.Path, r.Header.Get("Authorization"), string(body), r.Header.Clone()})
}

// bodies returns path and body of each request.
func (w *webhooks) bodies() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.seen {
		out = append(out, r.path+" "+r.body)
	}
	return out
}

// start returns recorded webhooks at a server of their own.
func start(t *testing.T) (*webhooks, *httptest.Server) {
	t.Helper()
	w := &webhooks{}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.record(t, r)
		answer := `{"abono":true}`
		if strings.HasSuffix(r.URL.Path, "/BancoConsulta") {
			answer = `{"status":true}`
		}
		_, err := io.WriteString(rw, answer)
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	return w, server
}

// handle returns a server of a handler.
func handle(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// simulator returns a simulator of targets.
func simulator(t *testing.T, timeout time.Duration, targets ...string) *Simulator {
	t.Helper()
	s, err := New(Options{Targets: targets, Timeout: timeout})
	require.NoError(t, err)
	return s
}

// run makes a run that must be accepted and checks that its result does not hold the token.
func run(t *testing.T, s *Simulator, r *Run) []Exchange {
	t.Helper()
	result, err := s.Run(t.Context(), r)
	require.NoError(t, err)
	assertNoToken(t, result, r.Token)
	return result.Exchanges
}

// assertNoToken scans a result as the panel would get it.
func assertNoToken(t *testing.T, result *Result, token string) {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(result))
	if token = strings.TrimSpace(token); token != "" {
		assert.NotContains(t, strings.ToLower(b.String()), strings.ToLower(token))
	}
}

// one makes a plain run of phase A.
func one(t *testing.T, s *Simulator, target string) Exchange {
	t.Helper()
	exchanges := run(t, s, &Run{Target: target, Phase: PhaseA, Scenario: Plain, Token: testToken, Fields: map[string]string{"Monto": "1.00"}})
	require.Len(t, exchanges, 1)
	return exchanges[0]
}
