package api

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// checkTimeout bounds each check of /readyz.
const checkTimeout = 2 * time.Second

// Check asks a dependency whether it answers.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// healthPaths are asked by who watches the process.
func healthPaths() []string { return []string{"/healthz", "/readyz"} }

func (a *API) registerHealth() {
	tags := []string{"Health"}
	handle(a, huma.Operation{
		OperationID: "healthz", Method: http.MethodGet, Path: "/healthz", Tags: tags, Summary: "Whether the process runs",
	}, Public(), func(context.Context, *struct{}) (*health, error) {
		return &health{Status: http.StatusOK, Body: healthBody{Status: "ok"}}, nil
	})
	handle(a, huma.Operation{
		OperationID: "readyz", Method: http.MethodGet, Path: "/readyz", Tags: tags,
		Summary:   "Whether all that the process depends on answers; 503 if not",
		Responses: map[string]*huma.Response{"503": a.jsonResponse("A dependency does not answer; checks names it", healthBody{})},
	}, Public(), a.ready)
}

type health struct {
	Status int
	Body   healthBody
}

type healthBody struct {
	Status string            `json:"status" enum:"ok,failed"`
	Checks map[string]string `json:"checks,omitempty" doc:"ok or failed, by dependency"`
}

// ready runs the checks side by side. What exactly failed is for the log, not for everybody.
func (a *API) ready(ctx context.Context, _ *struct{}) (*health, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	errs := make([]error, len(a.deps.Checks))
	var wg sync.WaitGroup
	for i, check := range a.deps.Checks {
		wg.Go(func() { errs[i] = check.Run(ctx) })
	}
	wg.Wait()
	out := &health{Status: http.StatusOK, Body: healthBody{Status: "ok", Checks: make(map[string]string, len(errs))}}
	for i, check := range a.deps.Checks {
		out.Body.Checks[check.Name] = "ok"
		if errs[i] != nil {
			out.Status, out.Body.Status, out.Body.Checks[check.Name] = http.StatusServiceUnavailable, "failed", "failed"
			a.deps.Log.LogAttrs(ctx, slog.LevelWarn, "not ready", slog.String("check", check.Name), slog.Any("error", errs[i]))
		}
	}
	return out, nil
}
