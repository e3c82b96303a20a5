package middleware_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/platform/clock"
)

// serve sends a request through the chain to a handler and returns the answer and the log.
func serve(level slog.Level, r *http.Request, handler gin.HandlerFunc) (*httptest.ResponseRecorder, string) {
	gin.SetMode(gin.ReleaseMode)
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level}))
	e := gin.New()
	e.Use(middleware.Begin(nil), middleware.AccessLog(log, clock.System{}), middleware.Recovery(log), middleware.Headers(true), middleware.BodyLimit(&middleware.BodyBounds{Most: 8}))
	e.POST("/things/:id", handler)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w, out.String()
}

func post(body string) *http.Request {
	return httptest.NewRequest(http.MethodPost, "/things/secret-id?token=secret", strings.NewReader(body))
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	for sent, kept := range map[string]bool{
		"trace-0001": true, "0123456789abcdef_.-": true,
		"": false, "short": false, strings.Repeat("x", 65): false, "trace 0001": false, "trace\x1b[31m1": false, "trazé-0001": false,
	} {
		r := post("")
		r.Header.Set("X-Request-Id", sent)
		w, _ := serve(slog.LevelError, r, func(c *gin.Context) { c.String(http.StatusOK, middleware.RequestID(c.Request.Context())) })
		id := w.Header().Get("X-Request-Id")
		assert.Equal(t, id, w.Body.String())
		assert.Equal(t, kept, id == sent, sent)
		assert.GreaterOrEqual(t, len(id), 8)
	}
}

func TestTheAccessLogHoldsNoData(t *testing.T) {
	t.Parallel()
	_, log := serve(slog.LevelInfo, post("secret"), func(c *gin.Context) { c.Status(http.StatusTeapot) })
	for _, text := range []string{"method=POST", "route=/things/:id", "status=418", "took=", "request_id="} {
		assert.Contains(t, log, text)
	}
	assert.NotContains(t, log, "secret")
	_, log = serve(slog.LevelWarn, post(""), func(c *gin.Context) { c.Status(http.StatusOK) })
	assert.Empty(t, log)
	_, log = serve(slog.LevelInfo, httptest.NewRequest(http.MethodGet, "/secret", http.NoBody), nil)
	assert.Contains(t, log, "route=(none)")
}

func TestRecovery(t *testing.T) {
	t.Parallel()
	w, log := serve(slog.LevelInfo, post(""), func(*gin.Context) { panic("at the disco") })
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.Contains(t, w.Body.String(), `"code":"INTERNAL"`)
	assert.NotContains(t, w.Body.String(), "disco")
	assert.Contains(t, log, "disco")
	assert.Contains(t, log, "status=500")
	assert.PanicsWithError(t, http.ErrAbortHandler.Error(), func() {
		serve(slog.LevelInfo, post(""), func(*gin.Context) { panic(http.ErrAbortHandler) })
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	w, _ := serve(slog.LevelError, post(""), func(c *gin.Context) { c.Header("Cache-Control", "no-cache") })
	assert.Equal(t, []string{"no-cache"}, w.Header()["Cache-Control"])
	w, _ = serve(slog.LevelError, post(""), func(*gin.Context) {})
	assert.Equal(t, []string{"no-store"}, w.Header()["Cache-Control"])
	assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	assert.NotEmpty(t, w.Header().Get("Strict-Transport-Security"))
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	for body, fits := range map[string]bool{"12345678": true, "123456789": false} {
		_, _ = serve(slog.LevelError, post(body), func(c *gin.Context) {
			_, err := c.GetRawData()
			var tooLarge *http.MaxBytesError
			assert.Equal(t, !fits, errors.As(err, &tooLarge))
		})
	}
}

// Outside a request there is no caller.
func TestOutsideARequestThereIsNoCaller(t *testing.T) {
	t.Parallel()
	assert.Empty(t, middleware.RequestID(t.Context()))
	by, err := middleware.Caller(t.Context())
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
	assert.Zero(t, by)
}
