package dev

import (
	"context"
	"io"
	"log/slog"

	"banca/internal/app"
	"banca/internal/dev/embedded"
	"banca/internal/platform/config"
)

// Platform is a running embedded stack, on which simulators and roles run.
type Platform struct {
	Config *config.Config // of the stack, complete
	Log    *slog.Logger
	Out    io.Writer
	Stack  *embedded.Stack
}

// Round is a run of the simulators and the roles on the stack.
type Round struct {
	Fill    func(ctx context.Context, a *app.App) error // writes what is missing in the migrated database, before the roles start
	Ready   func(s *Simulators)                         // is called once requests are answered
	Options []app.Option
}

// Run runs a round until ctx ends or a part fails, with everything it started stopped.
func (p *Platform) Run(ctx context.Context, r *Round) error {
	simulators, err := startSimulators(ctx, p.Config, p.Log)
	if err != nil {
		return err
	}
	defer simulators.stop()
	a, err := app.Open(ctx, p.Config, config.ModeDev, p.Log, r.Options...)
	if err != nil {
		return err
	}
	defer func() {
		if err := a.Close(); err != nil {
			p.Log.Warn("closing", "error", err)
		}
	}()
	if err := r.Fill(ctx, a); err != nil {
		return err
	}
	return a.Run(ctx, func() { r.Ready(simulators) }, app.RoleAPI, app.RoleWorker, app.RoleScheduler)
}
