package system

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"banca/api/kit"

	"github.com/danielgtaylor/huma/v2"
)

// checkTimeout bounds each check of /readyz.
const checkTimeout = 2 * time.Second

// Check asks a dependency whether it answers.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// Paths lists the paths that a monitor asks.
func Paths() []string { return []string{"/healthz", "/readyz"} }

func (o *operations) registerHealth() {
	tags := []string{"Health"}
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "healthz", Method: http.MethodGet, Path: "/healthz", Tags: tags, Summary: "Whether the process runs",
	}, kit.Health(), func(context.Context, *struct{}) (*health, error) {
		return &health{Status: http.StatusOK, Body: healthBody{Status: "ok"}}, nil
	})
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "readyz", Method: http.MethodGet, Path: "/readyz", Tags: tags,
		Summary:   "Whether all that the process depends on answers; 503 if not",
		Responses: map[string]*huma.Response{"503": o.JSONResponse("A dependency does not answer; checks names it", healthBody{})},
	}, kit.Health(), o.ready)
}

type health struct {
	Status int
	Body   healthBody
}

type healthBody struct {
	Status string            `json:"status" enum:"ok,failed"`
	Checks map[string]string `json:"checks,omitempty" doc:"ok or failed, by dependency"`
}

// ready runs the checks concurrently. The answer names the failed ones, the log has the reasons.
func (o *operations) ready(ctx context.Context, _ *struct{}) (*health, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	errs := make([]error, len(o.checks))
	var wg sync.WaitGroup
	for i, check := range o.checks {
		wg.Go(func() { errs[i] = check.Run(ctx) })
	}
	wg.Wait()
	out := &health{Status: http.StatusOK, Body: healthBody{Status: "ok", Checks: make(map[string]string, len(errs))}}
	for i, check := range o.checks {
		out.Body.Checks[check.Name] = "ok"
		if errs[i] != nil {
			out.Status, out.Body.Status, out.Body.Checks[check.Name] = http.StatusServiceUnavailable, "failed", "failed"
			o.Log.LogAttrs(ctx, slog.LevelWarn, "not ready", slog.String("check", check.Name), slog.Any("error", errs[i]))
		}
	}
	return out, nil
}
