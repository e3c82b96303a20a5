package app

import (
	"context"
	"net/http"
	"slices"
	"time"

	"banca/internal/platform/config"
	"banca/internal/platform/telemetry"
)

const flushTimeout = 5 * time.Second // for the receiver of traces to take the last spans

// startTracing sends the spans of this process if a receiver is configured. It comes before the stores are opened,
// whose connections then show their calls.
func startTracing(ctx context.Context, cfg *config.Config, mode config.Mode) (stop func() error, err error) {
	shutdown, err := telemetry.StartTracing(ctx, telemetry.TraceOptions{
		Endpoint: cfg.Telemetry.TraceEndpoint, Ratio: cfg.Telemetry.TraceRatio, Service: "banca-" + string(mode),
		Version: cfg.Version(),
	})
	if err != nil {
		return nil, err
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		return shutdown(ctx)
	}, nil
}

// metrics answers Prometheus with the instruments of the process and the state of its connections, and the api also
// with the state of the platform, which it samples.
func (a *App) metrics(roles ...Role) (http.Handler, error) {
	if slices.Contains(roles, RoleAPI) {
		return telemetry.Handler(newPoolCollector(a.stores), newFigureCollector(a.health))
	}
	return telemetry.Handler(newPoolCollector(a.stores))
}
