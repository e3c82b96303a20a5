package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/config"
	"banca/internal/embedded"
)

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use: "banca", Short: "Backend of a lottery bank",
		SilenceUsage: true, SilenceErrors: true, Version: version,
	}
	cmd.AddCommand(
		dev(),
		role(app.RoleAPI, "Answer the points of sale and the administration"),
		role(app.RoleWorker, "Run tasks and move the outbox to the queue"),
		role(app.RoleScheduler, "Turn times into tasks; any number may run, one is active"),
		setUp("migrate", "Bring the database to the newest schema", app.Migrate),
		setUp("buckets", "Make the buckets of the object store and let S3_APP_USER use them", app.PrepareBuckets),
		maintenance("seed", "Fill the database with the demonstration data; what exists stays", (*app.App).Seed),
		maintenance("verify", "Recompute and prove every invariant of the books, tickets and counters", func(a *app.App, ctx context.Context) error {
			return a.Verify(ctx, os.Stdout)
		}),
		openapi(),
		benchmark(),
		serveS3(),
	)
	return cmd
}

// setup reads the configuration for a mode and limits the memory of the process.
func setup(mode config.Mode) (*config.Config, *slog.Logger, error) {
	cfg, err := config.Load()
	if err != nil {
		return nil, nil, err
	}
	if err := cfg.Validate(mode); err != nil {
		return nil, nil, err
	}
	log := app.NewLogger(cfg.Log, os.Stderr)
	limitMemory(log)
	return &cfg, log, nil
}

func dev() *cobra.Command {
	return &cobra.Command{
		Use: "dev", Short: "Run everything on this machine, with an embedded stack and simulators", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := setup(config.ModeDev)
			if err != nil {
				return err
			}
			return app.Dev(cmd.Context(), cfg, log, os.Stdout)
		},
	}
}

func role(r app.Role, short string) *cobra.Command {
	return &cobra.Command{
		Use: string(r), Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withApp(cmd.Context(), config.Mode(r), func(a *app.App, ctx context.Context) error {
				return a.Run(ctx, func() {}, r)
			})
		},
	}
}

// setUp is a subcommand that prepares a store with a key of its own, and opens no other one.
func setUp(name, short string, fn func(context.Context, *config.Config, *slog.Logger) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := setup(config.Mode(name))
			if err != nil {
				return err
			}
			return fn(cmd.Context(), cfg, log)
		},
	}
}

// maintenance is a subcommand that does one thing and ends.
func maintenance(name, short string, fn func(*app.App, context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return withApp(cmd.Context(), config.Mode(name), fn) },
	}
}

func withApp(ctx context.Context, mode config.Mode, fn func(*app.App, context.Context) error) (err error) {
	cfg, log, err := setup(mode)
	if err != nil {
		return err
	}
	a, err := app.Open(ctx, cfg, mode, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return fn(a, ctx)
}

func openapi() *cobra.Command {
	return &cobra.Command{
		Use: "openapi", Short: "Print the OpenAPI document of the API as YAML", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, doc, err := app.OpenAPI()
			if err != nil {
				return err
			}
			_, err = fmt.Print(string(doc)) //nolint:forbidigo // this is the command's output
			return err
		},
	}
}

// serveS3 is the object store of `banca dev`, which starts it as a child of its own.
func serveS3() *cobra.Command {
	return &cobra.Command{
		Use: embedded.S3Subcommand, Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return embedded.ServeS3(cmd.Context(), os.Stdin) },
	}
}
