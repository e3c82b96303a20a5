package dev

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
)

func TestDevelopmentStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing is to be started
	const here, everywhere = "127.0.0.1:0", "0.0.0.0:0"
	for variable, addr := range map[string][4]string{
		"HTTP_ADDR": {everywhere, here, here, here}, "SIM_GATEWAY_ADDR": {here, everywhere, here, here}, "SIM_LOTTERY_ADDR": {here, here, everywhere, here},
		"SIM_RATES_ADDR": {here, here, here, everywhere},
	} {
		cfg := &config.Config{DataDir: t.TempDir()}
		cfg.HTTP.Addr, cfg.Simulator.GatewayAddr, cfg.Simulator.LotteryAddr = addr[0], addr[1], addr[2]
		cfg.Simulator.RatesAddr = addr[3]
		err := Run(ctx, cfg, slog.New(slog.DiscardHandler), io.Discard)
		require.ErrorIs(t, err, ErrPublicAddress)
		require.ErrorContains(t, err, variable)
	}
}

// An interruption while the platform starts ends it as one while it runs.
func TestInterruptedStartIsNoFailure(t *testing.T) {
	t.Parallel()
	for end, failed := range map[error]bool{context.Canceled: false, io.ErrUnexpectedEOF: true} {
		ctx, interrupt := context.WithCancel(t.Context())
		cfg := &config.Config{DataDir: t.TempDir()}
		cfg.Postgres.DatabaseURL, cfg.Redis.RedisURL, cfg.Objects.Endpoint = "postgres://127.0.0.1:1", "redis://127.0.0.1:1", "127.0.0.1:1"
		cfg.HTTP.Addr, cfg.Simulator.GatewayAddr, cfg.Simulator.LotteryAddr, cfg.Simulator.RatesAddr = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
		err := RunWith(ctx, cfg, slog.New(slog.DiscardHandler), io.Discard, Options{Serve: func(context.Context, *Platform) error {
			interrupt()
			return fmt.Errorf("draws due: %w", end)
		}})
		require.Equal(t, failed, err != nil, "%v", err)
	}
}
