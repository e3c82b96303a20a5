package main

import (
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"banca/internal/app"
	"banca/internal/chaos"
	"banca/internal/clock"
	"banca/internal/config"
)

func breakThings() *cobra.Command {
	var o chaos.Options
	cmd := &cobra.Command{
		Use: "chaos", Short: "Break a platform of its own under load and prove that nothing is lost or doubled", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load()
			if err != nil {
				return err
			}
			if o.Seed == 0 {
				o.Seed = uint64(clock.System{}.Now().UnixNano())
			}
			o.DataDir, o.Out, o.Log = cfg.DataDir, os.Stdout, app.NewLogger(cfg.Log, os.Stderr)
			signal.Ignore(syscall.SIGPIPE) // a closed output must not end the program before it stops the servers
			return chaos.Run(cmd.Context(), o)
		},
	}
	cmd.Flags().Uint64Var(&o.Seed, "seed", 0, "the seed of faults and load; 0 draws one and prints it")
	cmd.Flags().IntVar(&o.Faults, "faults", 100, "how many faults")
	cmd.Flags().StringSliceVar(&o.Only, "only", nil, "only these kinds of faults: "+strings.Join(chaos.Kinds(), ", "))
	cmd.Flags().StringVar(&o.Journal, "journal", "", "the file that every answer is written to; beside the logs when empty")
	cmd.Flags().BoolVar(&o.Keep, "keep", false, "keep logs and journal also when nothing is wrong")
	cmd.Flags().IntVar(&o.Sellers, "sellers", 6, "clients that sell")
	return cmd
}

// options are those of the roles in this binary.
func options() []app.Option { return []app.Option{app.WithClock(chaos.Clock())} }
