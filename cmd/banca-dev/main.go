// Command banca-dev is banca with the subcommands dev, demo, seed, bench, chaos and soak, which need the embedded servers, the
// simulators and the load generator, or install well-known passwords.
package main

import (
	"os"
	_ "time/tzdata" // business days must not depend on the machine's installed zones

	"github.com/spf13/cobra"

	"banca"
	"banca/internal/commands"
	"banca/internal/dev"
	"banca/internal/dev/demo"
	"banca/internal/platform/config"
)

// commit is set by the linker. The version is the newest one of CHANGELOG.md.
var commit string //nolint:gochecknoglobals // the linker sets variables only

func main() {
	cmd := commands.Root(banca.Version(commit), options()...)
	cmd.Use = "banca-dev"
	cmd.AddCommand(runDev(), runDemo(), dev.Seed(), benchmark(), breakThings(), soak())
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

func runDemo() *cobra.Command {
	o := demo.Defaults()
	cmd := &cobra.Command{
		Use: "demo", Short: "Run a demonstration on this machine: an operator with a history, robots that sell, and a reset every hour",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := commands.Setup(config.ModeDev)
			if err != nil {
				return err
			}
			cfg.SetVersion(banca.Version(commit))
			return demo.Run(cmd.Context(), cfg, log, os.Stdout, o)
		},
	}
	cmd.Flags().DurationVar(&o.Every, "every", o.Every, "the time between two resets")
	cmd.Flags().Float64Var(&o.Pace, "pace", o.Pace, "of the robots; 1 sells a day like those of the history, 0 sells nothing")
	cmd.Flags().IntVar(&o.Days, "days", o.Days, "days of the history")
	cmd.Flags().IntVar(&o.Lines, "lines", o.Lines, "bet lines of a mean day, about")
	return cmd
}
