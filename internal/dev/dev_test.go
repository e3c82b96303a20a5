package dev

import (
	"context"
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
