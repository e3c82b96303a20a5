package test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/app"
	"banca/internal/dev/testkit/contract"
)

// answer is what came back, with its body as bytes and, where it is JSON, decoded.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

// data returns the thing of an answer with one thing.
func (a answer) data() map[string]any {
	d, _ := a.body["data"].(map[string]any)
	return d
}

// list returns the things of an answer with a list.
func (a answer) list() []map[string]any {
	things, _ := a.body["data"].([]any)
	out := make([]map[string]any, 0, len(things))
	for _, thing := range things {
		if m, ok := thing.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

func (p *platform) get(path, token string) answer { return p.do(http.MethodGet, path, token, nil, "") }

func (p *platform) post(path, token string, body any, key string) answer {
	return p.do(http.MethodPost, path, token, body, key)
}

func (p *platform) do(method, path, token string, body any, key string) answer {
	p.t.Helper()
	var payload io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(p.t, err)
		payload = bytes.NewReader(raw)
	}
	if strings.HasPrefix(path, "/") {
		path = "http://" + p.addr + path
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, path, payload)
	require.NoError(p.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return p.send(req)
}

// send sends a request, following no redirect.
func (p *platform) send(req *http.Request) answer {
	p.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil { // not listening yet, or gone
		return answer{}
	}
	defer func() { _ = res.Body.Close() }()
	a := answer{status: res.StatusCode, header: res.Header}
	a.raw, err = io.ReadAll(res.Body)
	require.NoError(p.t, err)
	_ = json.Unmarshal(a.raw, &a.body) // not every answer is JSON
	conforms(p.t, req, &a)
	return a
}

// login returns an access token of a seeded user.
func (p *platform) login(email string) string { return p.loginWith(email, "banca-dev") }

func (p *platform) loginWith(email, password string) string {
	p.t.Helper()
	a := p.post("/auth/login", "", map[string]string{"email": email, "password": password}, "")
	require.Equal(p.t, http.StatusOK, a.status, string(a.raw))
	token, _ := a.data()["access_token"].(string)
	require.NotEmpty(p.t, token)
	return token
}

// conforms checks an answer against the OpenAPI document.
func conforms(t *testing.T, req *http.Request, a *answer) {
	t.Helper()
	document, err := document()
	require.NoError(t, err)
	assert.NoError(t, document.Check(&contract.Exchange{
		Method: req.Method, Path: req.URL.Path, Status: a.status, Header: a.header, Body: a.raw,
	}))
}

// document is the OpenAPI document of the code.
//
//nolint:gochecknoglobals // parsed once for all tests
var document = sync.OnceValues(func() (*contract.Document, error) {
	raw, _, err := app.OpenAPI()
	if err != nil {
		return nil, err
	}
	return contract.Parse(raw)
})

// decodeList decodes a bare JSON list.
func decodeList(raw []byte) []any {
	var list []any
	_ = json.Unmarshal(raw, &list)
	return list
}

const (
	sellAtMost   = 60 * time.Second
	pauseOnFails = 50 * time.Millisecond
)

// insist repeats a request until it is answered with status, while the refusals are passing ones or there is no answer.
func (p *platform) insist(do func() answer, status int) answer {
	for end := time.Now().Add(sellAtMost); ; {
		a := do()
		if a.status == status {
			return a
		}
		if a.status != 0 && a.status != http.StatusServiceUnavailable || time.Now().After(end) {
			assert.Equal(p.t, status, a.status, string(a.raw))
			return a
		}
		time.Sleep(pauseOnFails)
	}
}
