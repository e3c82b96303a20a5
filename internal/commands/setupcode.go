package commands

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/platform/config"
)

// setupCode is `banca setup-code`. As `banca doctor` it takes the settings of this machine where the environment has none.
func setupCode() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "setup-code", Short: "Print a new code for the page /setup of an empty database; it ends the earlier one", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := setupWith(func() (config.Config, error) { return loadFrom(file) }, config.Mode("setup-code"))
			if err != nil {
				return err
			}
			return open(cmd.Context(), cfg, config.Mode("setup-code"), log, func(a *app.App, ctx context.Context) error {
				code, err := a.SetupCode(ctx)
				if err == nil {
					_, err = fmt.Fprintln(os.Stdout, code)
				}
				return err
			})
		},
	}
	ofMachine(cmd, &file)
	return cmd
}
