package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"banca/internal/app"
	"banca/internal/dev/simulators"
	"banca/internal/dev/simulators/seeded"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

// devInstance is the account of the simulated messaging gateway.
const devInstance = "banca-dev"

// The default ports of the simulators, as offsets from HTTP_ADDR, so that two `banca-dev dev` with different
// HTTP_ADDR have different ones and a guide can name them.
const (
	gatewayPortOffset = 1_000
	lotteryPortOffset = 2_000
	ratesPortOffset   = 3_000
	modelsPortOffset  = 4_000
)

// simulatorSet are the running stand-ins of the outside world.
type simulatorSet struct {
	gatewayURL, lotteryURL, ratesURL, modelsURL string
	stop                                        func()
}

// startSimulators starts the messaging gateway, the lottery system and the source of exchange rates as HTTP servers and sets the addresses that are
// not configured.
func startSimulators(ctx context.Context, cfg *config.Config, log *slog.Logger) (*simulatorSet, error) {
	if cfg.Messaging.Instance == "" {
		cfg.Messaging.Instance = devInstance
	}
	games, err := seeded.Games()
	if err != nil {
		return nil, err
	}
	gateway := simulators.NewGateway(simulators.GatewayConfig{APIKey: cfg.Messaging.APIKey.Reveal(), Instance: cfg.Messaging.Instance, Clock: clock.System{}})
	lottery := simulators.NewLottery(simulators.LotteryConfig{Seed: seeded.Seed, Location: cfg.Business.Zone, Clock: clock.System{}, Games: games})
	rates := simulators.NewRates(simulators.RatesConfig{Location: cfg.Business.Zone, Clock: clock.System{}})

	gatewayListener, err := listenNear(ctx, "SIM_GATEWAY_ADDR", cfg.Simulator.GatewayAddr, cfg.HTTP.Addr, gatewayPortOffset)
	if err != nil {
		return nil, err
	}
	lotteryListener, err := listenNear(ctx, "SIM_LOTTERY_ADDR", cfg.Simulator.LotteryAddr, cfg.HTTP.Addr, lotteryPortOffset)
	if err != nil {
		return nil, errors.Join(err, gatewayListener.Close())
	}
	ratesListener, err := listenNear(ctx, "SIM_RATES_ADDR", cfg.Simulator.RatesAddr, cfg.HTTP.Addr, ratesPortOffset)
	if err != nil {
		return nil, errors.Join(err, gatewayListener.Close(), lotteryListener.Close())
	}
	modelsListener, err := listenNear(ctx, "SIM_MODELS_ADDR", cfg.Simulator.ModelsAddr, cfg.HTTP.Addr, modelsPortOffset)
	if err != nil {
		return nil, errors.Join(err, gatewayListener.Close(), lotteryListener.Close(), ratesListener.Close())
	}
	models, err := newModels(cfg, "http://"+modelsListener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, gatewayListener.Close(), lotteryListener.Close(), ratesListener.Close(), modelsListener.Close())
	}
	set := &simulatorSet{
		gatewayURL: "http://" + gatewayListener.Addr().String(), lotteryURL: "http://" + lotteryListener.Addr().String(), ratesURL: "http://" + ratesListener.Addr().String(),
		modelsURL: "http://" + modelsListener.Addr().String(),
	}
	if cfg.Rates.RatesURL == "" {
		cfg.Rates.RatesURL = set.ratesURL + "/rates"
	}
	// Connections that are made by hand lead to the simulated gateway, too.
	cfg.Messaging.PrivateHosts = append(cfg.Messaging.PrivateHosts, gatewayListener.Addr().String())
	if cfg.Messaging.GatewayURL == "" {
		cfg.Messaging.GatewayURL = set.gatewayURL
	}
	if len(cfg.Lottery.LotterySources) == 0 {
		cfg.Lottery.LotterySources = map[string]string{
			simulators.SourceOfficial: set.lotteryURL, simulators.SourceMirror: set.lotteryURL + "/" + simulators.SourceMirror,
		}
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var servers sync.WaitGroup
	for l, h := range map[net.Listener]http.Handler{gatewayListener: gateway, lotteryListener: lottery, ratesListener: rates, modelsListener: models} {
		servers.Go(func() {
			if err := simulators.Serve(running, l, h); err != nil {
				log.Error("simulator", "error", err)
			}
		})
	}
	set.stop = func() { cancel(); servers.Wait() }
	return set, nil
}

// newModels returns the simulated AI models, and configures two of them if none is configured.
func newModels(cfg *config.Config, address string) (*simulators.Models, error) {
	names, err := seeded.GameNames()
	if err != nil {
		return nil, err
	}
	models := []string{"simulated", "simulated-spare"}
	if len(cfg.Assistant.AssistantModels) == 0 {
		for _, name := range models {
			cfg.Assistant.AssistantModels = append(cfg.Assistant.AssistantModels, config.AssistantModel{Name: name, URL: address + "/v1", Model: name, InputPrice: "0.30", OutputPrice: "2.50"})
		}
	}
	return simulators.NewModels(simulators.ModelsConfig{Clock: clock.System{}, Zone: cfg.Business.Zone, Games: names, Names: models}), nil
}

// listenNear listens on a configured address, or, where its port is 0, at a fixed distance from the API's,
// falling back to any free port.
func listenNear(ctx context.Context, variable, addr, httpAddr string, offset int) (net.Listener, error) {
	if strings.HasSuffix(addr, ":0") {
		_, port, err := net.SplitHostPort(httpAddr)
		if err != nil {
			return nil, fmt.Errorf("HTTP_ADDR: %w", err)
		}
		if n, err := strconv.Atoi(port); err == nil && n > 0 {
			near := net.JoinHostPort(strings.TrimSuffix(addr, ":0"), strconv.Itoa(n+offset))
			if l, err := app.Listen(ctx, variable, near); err == nil {
				return l, nil
			}
		}
	}
	return app.Listen(ctx, variable, addr)
}
