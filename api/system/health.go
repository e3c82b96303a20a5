package system

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/platform/health"
)

// MetricsPath is where Prometheus reads the metrics of a process, on the listener of monitors only.
const MetricsPath = "/metrics"

// Addresses that browsers open, too.
const (
	DashboardPath = "/health-dashboard"
	ChangelogPath = "/changelog"
)

// Paths lists the paths that are answered from memory, which monitors and persons ask while something is wrong.
func Paths() []string {
	return []string{"/healthz", "/readyz", DashboardPath, ChangelogPath}
}

func (o *operations) registerHealth() {
	tags := []string{"Health"}
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "healthz", Method: http.MethodGet, Path: "/healthz", Tags: tags, Summary: "Whether the process runs",
	}, kit.Health(), func(context.Context, *struct{}) (*ready, error) {
		return &ready{Status: http.StatusOK, Body: readyBody{Status: health.OK}}, nil
	})
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "readyz", Method: http.MethodGet, Path: "/readyz", Tags: tags,
		Summary:   "Whether all that the process depends on answers; 503 if not",
		Responses: map[string]*huma.Response{"503": o.JSONResponse("A dependency does not answer; checks names it", readyBody{})},
	}, kit.Health(), o.ready)
}

type ready struct {
	Status int
	Body   readyBody
}

type readyBody struct {
	Status string            `json:"status" enum:"ok,failed"`
	Checks map[string]string `json:"checks,omitempty" doc:"ok or failed, by dependency"`
}

// ready names the failed checks; the log has the reasons.
func (o *operations) ready(ctx context.Context, _ *struct{}) (*ready, error) {
	out := &ready{}
	out.Status, out.Body.Status, out.Body.Checks = Readiness(o.Health.Ready(ctx))
	return out, nil
}

// Readiness returns what /readyz says of dependencies: 503 and failed if one does not answer, and each by its name.
func Readiness(states []health.State) (status int, all string, checks map[string]string) {
	status, all, checks = http.StatusOK, health.OK, make(map[string]string, len(states))
	for i := range states {
		checks[states[i].Name] = health.OK
		if states[i].Status != health.OK {
			status, all, checks[states[i].Name] = http.StatusServiceUnavailable, health.Failed, health.Failed
		}
	}
	return status, all, checks
}
