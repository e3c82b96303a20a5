package middleware_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
)

const pos = "https://pos.example.com"

func TestCORS(t *testing.T) {
	t.Parallel()
	e := chain(&one{}, unlimited{}, []string{pos, "http://127.0.0.1:3000"}, func(c *gin.Context) { c.String(http.StatusOK, "answer") })
	for _, origin := range []string{pos, "http://127.0.0.1:3000"} {
		w := request(e, http.MethodOptions, "/x", "Origin", origin, "Access-Control-Request-Method", "PATCH",
			"Access-Control-Request-Headers", "authorization,content-type,idempotency-key,if-none-match,x-device-key,x-request-id")
		assert.Equal(t, http.StatusNoContent, w.Code)
		assert.Equal(t, origin, w.Header().Get("Access-Control-Allow-Origin"))
		assert.Equal(t, "PATCH", w.Header().Get("Access-Control-Allow-Methods"))
		assert.NotEmpty(t, w.Header().Get("Access-Control-Allow-Headers"))
		assert.Equal(t, "600", w.Header().Get("Access-Control-Max-Age"))
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
		assert.Empty(t, w.Body.String())
		assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))

		w = request(e, http.MethodGet, "/x", "Origin", origin)
		assert.Equal(t, origin, w.Header().Get("Access-Control-Allow-Origin"))
		exposed := w.Header().Get("Access-Control-Expose-Headers")
		for _, name := range []string{"Etag", "Idempotent-Replayed", "Location", "Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset", "Retry-After", "X-Request-Id"} {
			assert.Contains(t, exposed, name)
		}
		assert.Contains(t, w.Header().Values("Vary"), "Origin")
	}
}

func TestCORSRefusesOthers(t *testing.T) {
	t.Parallel()
	e := chain(&one{}, unlimited{}, []string{pos}, func(c *gin.Context) { c.String(http.StatusOK, "answer") })
	for _, origin := range []string{
		"https://evil.example", "null", "", "*", "http://pos.example.com", "https://pos.example.com.evil.example", "https://evilpos.example.com",
		"https://pos.example.com:8443", "https://pos.example.com/", "https://sub.pos.example.com", "https://pos-example.com", "https://pos.example.com@evil.example",
		"https://pos.example.com, https://evil.example", "file://", "https://pos.exаmple.com",
	} {
		for _, method := range []string{http.MethodOptions, http.MethodPost} {
			w := request(e, method, "/x", "Origin", origin, "Access-Control-Request-Method", "POST")
			assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), origin)
			assert.Empty(t, w.Header().Get("Access-Control-Allow-Methods"), origin)
			assert.Contains(t, strings.Join(w.Header().Values("Vary"), ","), "Origin", "a cache must not give one origin's answer to another")
		}
	}
	w := request(e, http.MethodOptions, "/x", "Origin", pos, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "x-evil")
	assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), "a header that nobody needs")
	w = request(e, http.MethodOptions, "/x", "Origin", pos, "Access-Control-Request-Method", "TRACE")
	assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), "a method that nobody needs")
	for _, path := range []string{"/admin", "/admin/bank", "/BancoConsulta"} {
		w := request(e, http.MethodOptions, path, "Origin", pos, "Access-Control-Request-Method", "POST")
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"), path)
		assert.Equal(t, "answer", w.Body.String(), "it goes on to what answers there")
	}
}

// Without a list the API is as it was: no header, and OPTIONS is a method like any other.
func TestWithoutOriginsThereIsNoCORS(t *testing.T) {
	t.Parallel()
	e := chain(&one{}, unlimited{}, nil, func(c *gin.Context) { c.String(http.StatusOK, "answer") })
	w := request(e, http.MethodOptions, "/x", "Origin", pos, "Access-Control-Request-Method", "POST")
	assert.Equal(t, "answer", w.Body.String())
	assert.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
	assert.Empty(t, w.Header().Values("Vary"))
}
