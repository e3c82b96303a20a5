package commands

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/platform/config"
)

// dataDir is where one machine keeps receipts and documents.
const dataDir = "/var/lib/banca"

// serve runs every role in one process. The first start writes the settings, and each start brings the database to the
// newest schema.
func serve(version string, options []app.Option) *cobra.Command {
	var file, data string
	cmd := &cobra.Command{
		Use: "serve", Short: "Run api, worker and scheduler in one process, for one machine with a Postgres and a Redis", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			written, err := config.WriteFile(file, data)
			if err != nil {
				return err
			}
			if len(written) > 0 {
				fmt.Fprintf(os.Stderr, "wrote %s with %s\n", file, strings.Join(written, ", "))
			}
			return serveWith(cmd.Context(), version, file, options)
		},
	}
	cmd.Flags().StringVar(&file, "config", config.FileOr(config.MachineFile), "file of settings, written where there is none; the environment wins")
	cmd.Flags().StringVar(&data, "data", dataDir, "directory of receipts and documents, for the file that is written")
	return cmd
}

func serveWith(ctx context.Context, version, file string, options []app.Option) error {
	cfg, log, err := setupWith(func() (config.Config, error) { return config.LoadFile(file) }, config.ModeServe)
	if err != nil {
		return err
	}
	cfg.SetVersion(version)
	started := false
	ready := func() {
		started = true
		log.InfoContext(ctx, "ready", "address", cfg.HTTP.PublicURL)
	}
	err = app.Migrate(ctx, cfg, log)
	if err == nil {
		err = open(ctx, cfg, config.ModeServe, log, func(a *app.App, ctx context.Context) error {
			return a.Run(ctx, ready, app.RoleAPI, app.RoleWorker, app.RoleScheduler)
		}, options...)
	}
	if err != nil && !started {
		err = fmt.Errorf("%w: `banca doctor --config %s` says what to mend", err, file)
	}
	return err
}
