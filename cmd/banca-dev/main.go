// Command banca-dev is banca with the subcommands dev, seed, bench, chaos and soak, which need the embedded servers, the
// simulators and the load generator, or install well-known passwords.
package main

import (
	"os"
	_ "time/tzdata" // business days must not depend on the machine's installed zones

	"github.com/spf13/cobra"

	"banca"
	"banca/internal/commands"
	"banca/internal/dev"
	"banca/internal/platform/config"
)

// commit is set by the linker. The version is the newest one of CHANGELOG.md.
var commit string //nolint:gochecknoglobals // the linker sets variables only

func main() {
	cmd := commands.Root(banca.Version(commit), options()...)
	cmd.Use = "banca-dev"
	cmd.AddCommand(runDev(), dev.Seed(), benchmark(), breakThings(), soak())
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
