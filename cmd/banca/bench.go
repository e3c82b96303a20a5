package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"banca/internal/bench"
	"banca/internal/config"
)

func benchmark() *cobra.Command {
	var o bench.Options
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure the sale path as ratios to pgbench, on a stack of its own", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := setup(config.ModeDev)
			if err != nil {
				return err
			}
			o.DataDir = cfg.DataDir
			return bench.Run(cmd.Context(), o, log, os.Stdout)
		},
	}
	cmd.Flags().DurationVar(&o.Phase, "phase", 5*time.Second, "how long each measurement takes, whole seconds")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 3, "rounds, of which the median counts")
	cmd.Flags().IntSliceVar(&o.Clients, "clients", []int{8, 32, 64}, "numbers of concurrent points of sale, at most 64")
	cmd.Flags().StringVar(&o.Only, "only", "", "measure only the phase of this name beside pgbench")
	return cmd
}
