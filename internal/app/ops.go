package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"banca/api/system"
	"banca/internal/platform/health"
)

// listenOps opens the listener of monitors and returns the function that serves it until its context ends.
func (a *App) listenOps(ctx context.Context, roles []Role) (serve func(context.Context) error, err error) {
	handler, err := a.opsHandler(roles)
	if err != nil {
		return nil, err
	}
	listener, err := Listen(ctx, "OPS_ADDR", a.cfg.Telemetry.OpsAddr)
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	return func(ctx context.Context) error {
		failed := make(chan error, 1)
		go func() { failed <- server.Serve(listener) }()
		select {
		case err := <-failed:
			return fmt.Errorf("ops server: %w", err)
		case <-ctx.Done():
			return shutDown(ctx, server, shutdownTimeout)
		}
	}, nil
}

// opsHandler answers what monitors ask of a process of any role.
func (a *App) opsHandler(roles []Role) (http.Handler, error) {
	metrics, err := a.metrics(roles...)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET "+system.MetricsPath, metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeState(w, nil) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) { writeState(w, a.health.Ready(r.Context())) })
	return mux, nil
}

// writeState answers as the operations of the API with these paths.
func writeState(w http.ResponseWriter, states []health.State) {
	status, all, checks := system.Readiness(states)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	answer, err := json.Marshal(struct {
		Status string            `json:"status"`
		Checks map[string]string `json:"checks"`
	}{all, checks})
	if err != nil {
		return // cannot be: strings
	}
	_, _ = w.Write(answer) // an error means that the client is gone
}
