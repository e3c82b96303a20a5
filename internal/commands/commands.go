// Package commands holds the subcommands of the shipped binary, which cmd/banca-dev extends.
package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/platform/config"
)

// gcPercent trades memory for speed: the live heap is some 20 MiB, and collecting at twice that took a
// tenth of the api's time under load.
const gcPercent = 300

// Execute runs the command of the process's arguments until it ends or the process is interrupted, and returns
// the exit status.
func Execute(cmd *cobra.Command) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	debug.SetGCPercent(gcPercent)
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, cmd.Name()+":", err)
		return 1
	}
	return 0
}

// Root returns the command with all subcommands that are shipped. The options configure the roles.
func Root(version string, options ...app.Option) *cobra.Command {
	cmd := &cobra.Command{
		Use: "banca", Short: "Backend of a lottery bank",
		SilenceUsage: true, SilenceErrors: true, Version: version,
	}
	cmd.AddCommand(
		serve(version, options),
		role(version, app.RoleAPI, "Answer the points of sale and the administration", options),
		role(version, app.RoleWorker, "Run tasks and move the outbox to the queue", options),
		role(version, app.RoleScheduler, "Turn times into tasks; any number may run, one is active", options),
		setUp("migrate", "Bring the database to the newest schema", config.ModeMigrate, app.Migrate),
		setUp("buckets", "Make the buckets of the object store and let S3_APP_USER use them", config.ModeBuckets, app.PrepareBuckets),
		objects(),
		initialise(),
		examine(),
		ready(),
		setupCode(),
		adoptCluster(),
		Maintenance("verify", "Recompute and prove every invariant of the books, tickets and counts", func(a *app.App, ctx context.Context) error {
			return a.Verify(ctx, os.Stdout)
		}),
		rollups(),
		months(),
		assistant(),
		secrets(),
		openapi(),
		printVersion(version),
	)
	return cmd
}

// Setup reads the configuration for a mode and limits the memory of the process.
func Setup(mode config.Mode) (*config.Config, *slog.Logger, error) {
	return setupWith(config.Load, mode)
}

func setupWith(load func() (config.Config, error), mode config.Mode) (*config.Config, *slog.Logger, error) {
	cfg, err := load()
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

func role(version string, r app.Role, short string, options []app.Option) *cobra.Command {
	return &cobra.Command{
		Use: string(r), Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := Setup(config.Mode(r))
			if err != nil {
				return err
			}
			cfg.SetVersion(version)
			return open(cmd.Context(), cfg, config.Mode(r), log, func(a *app.App, ctx context.Context) error {
				return a.Run(ctx, func() {}, r)
			}, options...)
		},
	}
}

// setUp returns a subcommand that prepares one store and opens no other.
func setUp(
	name, short string, mode config.Mode, fn func(context.Context, *config.Config, *slog.Logger) error,
) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := Setup(mode)
			if err != nil {
				return err
			}
			return fn(cmd.Context(), cfg, log)
		},
	}
}

// Maintenance is a subcommand that does one thing and ends.
func Maintenance(name, short string, fn func(*app.App, context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return withApp(cmd.Context(), config.Mode(name), fn) },
	}
}

func rollups() *cobra.Command {
	cmd := &cobra.Command{Use: "rollup", Short: "The sums that reports and statements read"}
	cmd.AddCommand(Maintenance("rebuild", "Count the sums again from all transactions; they stay readable meanwhile", (*app.App).RebuildRollups))
	return cmd
}

func objects() *cobra.Command {
	cmd := &cobra.Command{Use: "objects", Short: "What is kept in the object store"}
	cmd.AddCommand(
		setUp("recode", "Remove the content encoding that releases before 0.4.0 stored with objects", config.ModeBuckets, app.RecodeObjects),
		copyObjects(),
	)
	return cmd
}

func copyObjects() *cobra.Command {
	var dir, bucket string
	cmd := setUp("copy", "Copy the objects of a folder (OBJECTS_DIR) into the S3 store of the settings; repeat it until none is copied",
		config.ModeBuckets, func(ctx context.Context, cfg *config.Config, _ *slog.Logger) error {
			return app.CopyObjects(ctx, cfg, dir, bucket, os.Stdout)
		})
	cmd.Flags().StringVar(&dir, "from", dataDir+"/objects", "folder of the objects")
	cmd.Flags().StringVar(&bucket, "bucket", "", "public bucket of the folder, where its S3_BUCKET was another one")
	return cmd
}

// adoptCluster rewrites rows of the books, so it wants a flag.
func adoptCluster() *cobra.Command {
	cmd := setUp("adopt-cluster", "Make a database that was restored from a dump belong to this cluster of Postgres",
		config.ModeMigrate, app.AdoptCluster)
	confirmed := cmd.Flags().Bool(
		"confirm", false, "the database was restored from a dump, and no process of banca runs",
	)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if !*confirmed {
			return errors.New("the ids of all transactions are replaced: stop all processes, then repeat with --confirm")
		}
		return nil
	}
	return cmd
}

func assistant() *cobra.Command {
	cmd := &cobra.Command{Use: "assistant", Short: "The AI models of the assistant"}
	cmd.AddCommand(Maintenance("eval", "Ask the configured models the questions of the evaluation and print the score; it costs tokens", func(a *app.App, ctx context.Context) error {
		return a.EvaluateAssistant(ctx, os.Stdout)
	}))
	return cmd
}

func secrets() *cobra.Command {
	cmd := &cobra.Command{Use: "secrets", Short: "The credentials that are kept sealed"}
	cmd.AddCommand(Maintenance("rotate", "Seal all credentials with the first key of SECRET_KEYS", func(a *app.App, ctx context.Context) error {
		return a.RotateSecrets(ctx, os.Stdout)
	}))
	return cmd
}

func withApp(ctx context.Context, mode config.Mode, fn func(*app.App, context.Context) error) error {
	cfg, log, err := Setup(mode)
	if err != nil {
		return err
	}
	return open(ctx, cfg, mode, log, fn)
}

func open(ctx context.Context, cfg *config.Config, mode config.Mode, log *slog.Logger, fn func(*app.App, context.Context) error, options ...app.Option) error {
	for {
		err := openOnce(ctx, cfg, mode, log, fn, options...)
		if !errors.Is(err, app.ErrZoneChanged) {
			return err
		}
		log.InfoContext(ctx, err.Error())
	}
}

func openOnce(ctx context.Context, cfg *config.Config, mode config.Mode, log *slog.Logger, fn func(*app.App, context.Context) error, options ...app.Option) (err error) {
	a, err := app.Open(ctx, cfg, mode, log, options...)
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

func printVersion(version string) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { fmt.Println(version) }, //nolint:forbidigo // this is the command's output
	}
}
