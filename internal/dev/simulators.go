package dev

import (
	"context"
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

// Simulators are the addresses of the running stand-ins of the outside world.
type Simulators struct {
	GatewayURL, LotteryURL, RatesURL, ModelsURL string

	stop func()
}

// startSimulators starts the messaging gateway, the lottery system, the source of exchange rates and the AI models as HTTP servers, and sets the
// addresses that are not configured.
func startSimulators(ctx context.Context, cfg *config.Config, log *slog.Logger) (_ *Simulators, err error) {
	if cfg.Messaging.Instance == "" {
		cfg.Messaging.Instance = devInstance
	}
	games, err := seeded.Games()
	if err != nil {
		return nil, err
	}
	names, err := seeded.GameNames()
	if err != nil {
		return nil, err
	}
	set := &Simulators{}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var servers sync.WaitGroup
	set.stop = func() { cancel(); servers.Wait() }
	for _, s := range []struct {
		variable, addr string
		offset         int
		url            *string
		handler        http.Handler
	}{
		{
			"SIM_GATEWAY_ADDR", cfg.Simulator.GatewayAddr, gatewayPortOffset, &set.GatewayURL,
			simulators.NewGateway(simulators.GatewayConfig{APIKey: cfg.Messaging.APIKey.Reveal(), Instance: cfg.Messaging.Instance, Clock: clock.System{}}),
		},
		{
			"SIM_LOTTERY_ADDR", cfg.Simulator.LotteryAddr, lotteryPortOffset, &set.LotteryURL,
			simulators.NewLottery(simulators.LotteryConfig{Seed: seeded.Seed, Location: cfg.Business.Zone, Clock: clock.System{}, Games: games}),
		},
		{
			"SIM_RATES_ADDR", cfg.Simulator.RatesAddr, ratesPortOffset, &set.RatesURL,
			simulators.NewRates(simulators.RatesConfig{Location: cfg.Business.Zone, Clock: clock.System{}}),
		},
		{
			"SIM_MODELS_ADDR", cfg.Simulator.ModelsAddr, modelsPortOffset, &set.ModelsURL,
			simulators.NewModels(simulators.ModelsConfig{Clock: clock.System{}, Zone: cfg.Business.Zone, Games: names, Names: modelNames()}),
		},
	} {
		l, err := listenNear(ctx, s.variable, s.addr, cfg.HTTP.Addr, s.offset)
		if err != nil {
			set.stop()
			return nil, err
		}
		*s.url = "http://" + l.Addr().String()
		servers.Go(func() {
			if err := simulators.Serve(running, l, s.handler); err != nil {
				log.Error("simulator", "error", err)
			}
		})
	}
	set.use(cfg)
	return set, nil
}

func modelNames() []string { return []string{"simulated", "simulated-spare"} }

// use sets the addresses of the simulators that are not configured.
func (s *Simulators) use(cfg *config.Config) {
	if cfg.Rates.RatesURL == "" {
		cfg.Rates.RatesURL = s.RatesURL + "/rates"
	}
	// Connections that are made by hand lead to the simulated gateway, too.
	cfg.Messaging.PrivateHosts = append(cfg.Messaging.PrivateHosts, strings.TrimPrefix(s.GatewayURL, "http://"))
	if cfg.Messaging.GatewayURL == "" {
		cfg.Messaging.GatewayURL = s.GatewayURL
	}
	if len(cfg.Lottery.LotterySources) == 0 {
		cfg.Lottery.LotterySources = map[string]string{
			simulators.SourceOfficial: s.LotteryURL, simulators.SourceMirror: s.LotteryURL + "/" + simulators.SourceMirror,
		}
	}
	if len(cfg.Assistant.AssistantModels) == 0 {
		for _, name := range modelNames() {
			cfg.Assistant.AssistantModels = append(cfg.Assistant.AssistantModels, config.AssistantModel{Name: name, URL: s.ModelsURL + "/v1", Model: name, InputPrice: "0.30", OutputPrice: "2.50"})
		}
	}
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
