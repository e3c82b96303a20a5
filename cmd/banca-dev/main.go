// Command banca-dev is banca with the subcommands dev, seed, bench, chaos and soak, which need the embedded servers, the
// simulators and the load generator, or install well-known passwords.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // business days must not depend on the machine's installed zones

	"github.com/spf13/cobra"

	"banca"
	"banca/internal/app"
	"banca/internal/commands"
	"banca/internal/config"
	"banca/internal/dev"
)

// commit is set by the linker. The version is the newest one of CHANGELOG.md.
var commit string //nolint:gochecknoglobals // the linker sets variables only

func main() {
	cmd := commands.Root(banca.Version(commit), options()...)
	cmd.Use = "banca-dev"
	cmd.AddCommand(runDev(), seed(), benchmark(), breakThings(), soak())
	os.Exit(commands.Execute(cmd))
}

func runDev() *cobra.Command {
	return &cobra.Command{
		Use: "dev", Short: "Run everything on this machine, with an embedded stack and simulators", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := commands.Setup(config.ModeDev)
			if err != nil {
				return err
			}
			cfg.SetVersion(banca.Version(commit))
			return dev.Run(cmd.Context(), cfg, log, os.Stdout)
		},
	}
}

// seed is no part of the shipped program: its users have a well-known password.
func seed() *cobra.Command {
	var volume bool
	var days, points, lines int
	cmd := commands.Maintenance("seed", "Fill the database with the demonstration data; what exists stays", func(a *app.App, ctx context.Context) error {
		if err := a.Seed(ctx); err != nil || !volume {
			return err
		}
		return a.SeedVolume(ctx, days, points, lines, os.Stdout)
	})
	cmd.Flags().BoolVar(&volume, "volume", false, "add a history of sales, prizes and deposits")
	cmd.Flags().IntVar(&days, "days", 90, "days of the history")
	cmd.Flags().IntVar(&points, "points", 300, "ticket points of the history")
	cmd.Flags().IntVar(&lines, "lines", 10_000_000, "bet lines of the history, about")
	return cmd
}
