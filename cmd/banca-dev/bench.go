package main

import (
	"errors"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"banca/internal/commands"
	"banca/internal/dev/bench"
	"banca/internal/platform/config"
)

func benchmark() *cobra.Command {
	var o bench.Options
	var profile string
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure the sale path as ratios to pgbench, on a stack of its own", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := commands.Setup(config.ModeDev)
			if err != nil {
				return err
			}
			o.DataDir = cfg.DataDir
			signal.Ignore(syscall.SIGPIPE) // a closed output must not end the program before it stops the stack
			if profile != "" {
				stop, err := startProfile(profile)
				if err != nil {
					return err
				}
				defer stop()
			}
			return bench.Run(cmd.Context(), o, log, os.Stdout)
		},
	}
	cmd.Flags().DurationVar(&o.Phase, "phase", 5*time.Second, "how long each measurement takes, whole seconds")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 3, "rounds, of which the median counts")
	cmd.Flags().IntSliceVar(&o.Clients, "clients", []int{8, 32, 64}, "numbers of concurrent points of sale, at most 64")
	cmd.Flags().StringVar(&o.Only, "only", "", "measure only the phase of this name beside pgbench, or connections, settlement, counting, assistant, messages, reports, pages or months")
	cmd.Flags().IntVar(&o.Lines, "lines", 1_000_000, "bet lines of the history of 90 days that reports and pages are measured on, or of the month that is archived")
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "keep the stack of the pages in DATA_DIR/bench-kept and use it again in a run of the same day")
	cmd.Flags().StringVar(&profile, "cpuprofile", "", "write a CPU profile of this process (the load and the commit stage) to this file")
	return cmd
}

func startProfile(name string) (stop func(), err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { pprof.StopCPUProfile(); _ = f.Close() }, nil
}
