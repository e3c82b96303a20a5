package app

import (
	"context"
	"log/slog"

	"banca/internal/config"
)

// simulatorSet are the running stand-ins of the outside world.
type simulatorSet struct{ gatewayURL, lotteryURL string }

func startSimulators(_ context.Context, _ *config.Config, _ *slog.Logger) (*simulatorSet, error) {
	return &simulatorSet{}, nil
}

func (s *simulatorSet) stop() {}
