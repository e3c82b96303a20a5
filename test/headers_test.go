package test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
)

const shop = "https://pos.example.com"

// Every kind of answer has the security headers, whichever layer writes it.
func TestEveryAnswerHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) {
		cfg.HTTP.PublicURL, cfg.HTTP.AllowedOrigins = "https://banca.example.com", []string{shop}
	})
	for _, c := range []struct {
		name, method, path string
		header             map[string]string
		status             int
	}{
		{"answer", "GET", "/healthz", nil, 200},
		{"no such path", "GET", "/nothing", nil, 404},
		{"no such method", "DELETE", "/games", nil, 405},
		{"HEAD", "HEAD", "/nothing", nil, 404},
		{"without a login", "GET", "/games", nil, 401},
		{"wrong body", "POST", "/auth/login", map[string]string{"Content-Type": "application/json"}, 400},
		{"preflight", "OPTIONS", "/games", map[string]string{"Origin": shop, "Access-Control-Request-Method": "GET"}, 204},
		{"preflight of another origin", "OPTIONS", "/games", map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}, 204},
		{"OPTIONS that is no preflight", "OPTIONS", "/games", nil, 405},
		{"documentation", "GET", "/docs", nil, 200},
		{"its files", "GET", "/docs/start.js", nil, 200},
		{"document", "GET", "/openapi.json", nil, 200},
		{"guide", "GET", "/docs/guide/panel", nil, 200},
		{"guide, no such chapter", "GET", "/docs/guide/nothing", nil, 404},
		{"ticket page", "GET", "/t/NOSUCH", map[string]string{"Accept": "text/html"}, 404},
		{"socket without a token", "GET", "/ws", map[string]string{"Connection": "Upgrade", "Upgrade": "websocket"}, 0},
		{"bank", "POST", "/BancoConsulta", nil, 403},
		{"bank, other method", "GET", "/BancoNotifica", nil, 405},
		{"panel", "GET", "/admin/login", nil, 200},
		{"panel without a login", "GET", "/admin", nil, 303},
		{"panel, no such page", "GET", "/admin/nothing", nil, 404},
		{"panel, form of another site", "POST", "/admin/login", map[string]string{"Origin": "https://evil.example"}, 403},
		{"panel's file", "GET", "/admin/static/panel.css", nil, 200},
		{"panel, no such file", "GET", "/admin/static/nothing", nil, 404},
	} {
		a := s.request(c.method, c.path, c.header)
		if c.status != 0 {
			assert.Equal(t, c.status, a.status, c.name)
		}
		s.secured(c.name, a)
	}
}

// secured checks what every answer has.
func (s *leakSuite) secured(name string, a answer) {
	s.t.Helper()
	for header, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "max-age=31536000",
	} {
		assert.Equal(s.t, []string{want}, a.header.Values(header), "%s: %s", name, header)
	}
	require.Len(s.t, a.header.Values("Content-Security-Policy"), 1, name)
	policy := a.header.Get("Content-Security-Policy")
	assert.True(s.t, strings.HasPrefix(policy, "default-src 'none'"), name)
	assert.Contains(s.t, policy, "frame-ancestors 'none'", name)
	assert.Contains(s.t, []string{"no-store", "no-cache"}, a.header.Get("Cache-Control"), name)
	assert.NotEmpty(s.t, a.header.Get("X-Request-Id"), name)
	for _, telling := range []string{"Server", "X-Powered-By", "Access-Control-Allow-Credentials"} {
		assert.Empty(s.t, a.header.Get(telling), name)
	}
}

// request sends a request without a body.
func (s *leakSuite) request(method, path string, header map[string]string) answer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.addr+path, http.NoBody)
	require.NoError(s.t, err)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return (&platform{t: s.t}).send(req)
}

// The limit as configured, from the address to the answer; with nothing left the API answers with a problem and the panel
// with a page.
func TestTheLimitOfRequestsEndToEnd(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) {
		cfg.HTTP.PublicURL, cfg.HTTP.RateLimitRequests, cfg.HTTP.AllowedOrigins = "https://banca.example.com", 5, []string{shop}
	})
	for left := 4; left >= 0; left-- {
		a := s.request(http.MethodGet, "/games", map[string]string{"Authorization": "Bearer forged"})
		assert.Equal(t, http.StatusUnauthorized, a.status)
		assert.Equal(t, []string{"5"}, a.header.Values("RateLimit-Limit"))
		assert.Equal(t, string(rune('0'+left)), a.header.Get("RateLimit-Remaining"))
	}
	a := s.request(http.MethodGet, "/games", map[string]string{"Origin": shop})
	assert.Equal(t, http.StatusTooManyRequests, a.status)
	assert.Equal(t, "RATE_LIMITED", a.body["code"])
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.Equal(t, shop, a.header.Get("Access-Control-Allow-Origin"), "the script can read why")
	s.secured("refused", a)
	a = s.request(http.MethodGet, "/admin/login", map[string]string{"Accept-Language": "en"})
	assert.Equal(t, http.StatusTooManyRequests, a.status)
	assert.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"))
	assert.Contains(t, string(a.raw), "too many pages")
	s.secured("refused page", a)
	a = s.request(http.MethodGet, "/games", map[string]string{"X-Forwarded-For": "198.51.100.9"})
	assert.Equal(t, http.StatusTooManyRequests, a.status, "nobody is another address by saying so")
	for path, status := range map[string]int{"/healthz": 200, "/readyz": 200, "/admin/static/panel.css": 200, "/docs/start.js": 200, "/BancoConsulta": 405} {
		a := s.request(http.MethodGet, path, nil)
		assert.Equal(t, status, a.status, path)
		assert.Empty(t, a.header.Get("RateLimit-Limit"), path)
	}
}
