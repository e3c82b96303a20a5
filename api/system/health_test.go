package system

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"

	"banca/api/kit"
	"banca/internal/testkit"
)

// ask returns the answer of a path of a process with the given checks, and the log.
func ask(path string, checks ...Check) (w *httptest.ResponseRecorder, log string) {
	var b strings.Builder
	engine := gin.New()
	config := huma.DefaultConfig("test", "1")
	config.CreateHooks = nil
	Register(kit.NewRegistry(engine, config, kit.Options{Log: slog.New(slog.NewTextHandler(&b, nil))}), checks)
	w = httptest.NewRecorder()
	engine.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w, b.String()
}

func TestHealth(t *testing.T) {
	t.Parallel()
	answers := Check{Name: "postgres", Run: func(context.Context) error { return nil }}
	fails := Check{Name: "redis", Run: func(context.Context) error { return errors.New("dial 10.0.0.7") }}
	w, _ := ask("/healthz", answers, fails)
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), `"status":"ok"`)
	w, log := ask("/readyz", answers, fails)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Contains(t, w.Body.String(), `"postgres":"ok"`)
	assert.Contains(t, w.Body.String(), `"redis":"failed"`)
	assert.NotContains(t, w.Body.String(), "10.0.0.7")
	assert.Contains(t, log, "10.0.0.7")
	w, _ = ask("/readyz", answers)
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), `"checks":{"postgres":"ok"}`)
}

func TestAHangingCheckIsBounded(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	w, _ := ask("/readyz", Check{Name: "slow", Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }})
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Less(t, time.Since(begin), testkit.WaitTimeout, "it does not hang")
}
