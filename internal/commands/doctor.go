package commands

import (
	"os"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/platform/config"
)

// examine is `banca doctor`: what keeps banca from starting on this machine, what weakens it, and how it is mended.
func examine() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Examine this machine: what a start needs, what weakens it, and how it is mended", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadFrom(file)
			if err != nil {
				return err
			}
			if err := cfg.Validate(config.ModeServe); err != nil {
				return err
			}
			return app.Examine(cmd.Context(), &cfg, file, os.Stdout)
		},
	}
	ofMachine(cmd, &file)
	return cmd
}

// ofMachine adds the flag of a command that takes the settings of this machine where it is told of no other ones.
func ofMachine(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "config", config.FileOr(machineFile()), "file of settings, else the environment alone; the environment wins")
}

// machineFile is the file of this machine's settings if there is one.
func machineFile() string {
	if _, err := os.Stat(config.MachineFile); err != nil {
		return ""
	}
	return config.MachineFile
}

func loadFrom(file string) (config.Config, error) {
	if file == "" {
		return config.Load()
	}
	return config.LoadFile(file)
}
