package middleware

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
	"banca/internal/platform/requestlog"
)

func recording(r *requestlog.Recorder) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.Use(Begin(nil))
	if r != nil {
		e.Use(RequestLog(r, clock.System{}, func(path string) bool { return path == "/healthz" }, func(string) bool { return false }))
	}
	for _, path := range []string{"/healthz", "/sales/tickets", "/t/:serial"} {
		e.GET(path, func(c *gin.Context) { c.Status(http.StatusTeapot) })
	}
	return e
}

func TestRequestsAreRecorded(t *testing.T) {
	t.Parallel()
	r := requestlog.NewRecorder(clock.System{})
	e := recording(r)
	for _, path := range []string{"/healthz", "/sales/tickets?a=b", "/t/K7QX9M2P4D6A", "/nothing"} {
		request := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		request.RemoteAddr = "10.0.0.7:1234"
		e.ServeHTTP(httptest.NewRecorder(), request)
	}
	recent := r.Recent()
	require.Len(t, recent, 3)
	assert.Equal(t, "/nothing", recent[0].Path)
	assert.Equal(t, unmatched, recent[0].Route)
	assert.Equal(t, http.StatusNotFound, recent[0].Status)
	assert.Equal(t, "/t/:serial", recent[1].Path)
	assert.Equal(t, "/sales/tickets", recent[2].Path)
	assert.Equal(t, http.StatusTeapot, recent[2].Status)
	assert.Equal(t, "10.0.0.7", recent[2].Address.String())
}

// Recent requests are shown to everybody, so a client cannot write into them.
func TestInventedMethodsAreNotRecorded(t *testing.T) {
	t.Parallel()
	r := requestlog.NewRecorder(clock.System{})
	e := recording(r)
	for _, method := range []string{"4141234567", "FOO", http.MethodPost} {
		e.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, "/nothing", http.NoBody))
	}
	recent := r.Recent()
	require.Len(t, recent, 3)
	assert.Equal(t, []string{http.MethodPost, "OTHER", "OTHER"}, []string{recent[0].Method, recent[1].Method, recent[2].Method})
}

// BenchmarkRequestLog measures what the log adds to a request. The writer is left out: its buffer is full.
func BenchmarkRequestLog(b *testing.B) {
	for name, r := range map[string]*requestlog.Recorder{"without": nil, "with": requestlog.NewRecorder(clock.System{})} {
		b.Run(name, func(b *testing.B) {
			e := recording(r)
			request := httptest.NewRequest(http.MethodGet, "/sales/tickets", http.NoBody)
			b.ReportAllocs()
			for b.Loop() {
				e.ServeHTTP(httptest.NewRecorder(), request)
			}
		})
	}
}
