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
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/health"
)

// ask returns the answer of a path of a process with the given checks, and the log.
func ask(path string, checks ...health.Dependency) (w *httptest.ResponseRecorder, logged string) {
	var b strings.Builder
	engine := gin.New()
	config := huma.DefaultConfig("test", "1")
	config.CreateHooks = nil
	log := slog.New(slog.NewTextHandler(&b, nil))
	monitor := health.New(health.Options{Clock: clock.System{}, Log: log, Dependencies: checks})
	Register(kit.NewRegistry(engine, config, kit.Options{Log: log}), Services{Health: monitor, Changelog: "# Changes"})
	w = httptest.NewRecorder()
	engine.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w, b.String()
}

func TestHealth(t *testing.T) {
	t.Parallel()
	answers := health.Dependency{Name: "postgres", Required: true, Check: func(context.Context) error { return nil }}
	fails := health.Dependency{Name: "redis", Required: true, Check: func(context.Context) error { return errors.New("dial 10.0.0.7") }}
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
	w, _ := ask("/readyz", health.Dependency{Name: "slow", Required: true, Check: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }})
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Less(t, time.Since(begin), testkit.WaitTimeout, "it does not hang")
}
