package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"banca/internal/platform/config"
)

const readyTimeout = 4 * time.Second

// ready is `banca ready`, the check of a container, which has no other program: it asks the process beside it at OPS_ADDR.
func ready() *cobra.Command {
	return &cobra.Command{
		Use: "ready", Short: "Ask the process that runs on this machine, at OPS_ADDR, whether it is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load()
			if err != nil {
				return err
			}
			if cfg.Telemetry.OpsAddr == "" {
				return errors.New("set OPS_ADDR, as for the process")
			}
			return askReady(cmd.Context(), cfg.Telemetry.OpsAddr)
		},
	}
}

// askReady returns an error unless the process that listens at address is ready.
func askReady(ctx context.Context, address string) error {
	reached, err := config.Reached(address)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reached+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := (&http.Client{Timeout: readyTimeout}).Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", answer.Status)
	}
	return nil
}
