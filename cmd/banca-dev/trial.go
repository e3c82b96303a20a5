package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/dev/trial"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

func breakThings() *cobra.Command {
	var o trial.ChaosOptions
	cmd := &cobra.Command{
		Use: "chaos", Short: "Break a platform of its own under load and prove that nothing is lost or doubled",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := setUp(&o.Options); err != nil {
				return err
			}
			return trial.Chaos(cmd.Context(), o)
		},
	}
	cmd.Flags().IntVar(&o.Faults, "faults", 100, "how many faults")
	cmd.Flags().StringSliceVar(&o.Only, "only", nil, "only these kinds of faults: "+strings.Join(trial.Kinds(), ", "))
	trialFlags(cmd, &o.Options, 6)
	return cmd
}

func soak() *cobra.Command {
	var o trial.SoakOptions
	cmd := &cobra.Command{
		Use: "soak", Short: "Run a platform of its own at half of its capacity and name what grows", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := setUp(&o.Options); err != nil {
				return err
			}
			return trial.Soak(cmd.Context(), o)
		},
	}
	cmd.Flags().DurationVar(
		&o.Length, "length", 30*time.Minute,
		"how long it sells at half of its capacity; below five minutes nothing is judged",
	)
	cmd.Flags().DurationVar(&o.Every, "every", 15*time.Second, "the time between two samples")
	cmd.Flags().DurationVar(&o.Step, "step", 10*time.Second, "of each rate of the ramp that finds the capacity")
	cmd.Flags().Float64Var(&o.Rate, "rate", 0, "sales a second in place of half of the capacity")
	trialFlags(cmd, &o.Options, 64)
	return cmd
}

// setUp gives a trial its directory, its seed and its outputs.
func setUp(o *trial.Options) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	if o.Seed == 0 {
		o.Seed = uint64(clock.System{}.Now().UnixNano())
	}
	o.DataDir, o.Out, o.Log = cfg.DataDir, os.Stdout, app.NewLogger(cfg.Log, os.Stderr)
	signal.Ignore(syscall.SIGPIPE) // a closed output must not end the program before it stops the servers
	return nil
}

func trialFlags(cmd *cobra.Command, o *trial.Options, sellers int) {
	cmd.Flags().Uint64Var(&o.Seed, "seed", 0, "the seed of the load and of faults; 0 draws one and prints it")
	cmd.Flags().StringVar(
		&o.Journal, "journal", "", "the file that every answer is written to; beside the logs when empty",
	)
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "keep logs and journal also when nothing is wrong")
	cmd.Flags().IntVar(&o.Sellers, "sellers", sellers, "clients that sell")
}

// options returns the options of the roles in this binary.
func options() []app.Option { return []app.Option{app.WithClock(trial.Clock())} }
