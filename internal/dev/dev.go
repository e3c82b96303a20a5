// Package dev runs the whole platform on one machine: the embedded stack, migrations, the seed, simulators of the
// messaging gateway and the lottery system, and all three roles. It is no part of the shipped binary.
package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/app"
	"banca/internal/dev/embedded"
	"banca/internal/dev/gallery"
	"banca/internal/dev/testbed"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
)

// stackStopTimeout bounds the end of the embedded servers; Postgres writes its last checkpoint in it.
const stackStopTimeout = 20 * time.Second

// ErrPublicAddress refuses to expose the well-known passwords of development, and simulators without authentication,
// to a network.
var ErrPublicAddress = errors.New("`banca-dev dev` and `banca-dev demo` have well-known passwords and listen on loopback addresses only")

// Run returns when ctx ends or a part fails, with everything it started stopped.
func Run(ctx context.Context, cfg *config.Config, log *slog.Logger, out io.Writer) error {
	return RunWith(ctx, cfg, log, out, Options{Serve: serve})
}

// Options are what runs on the embedded stack.
type Options struct {
	NoFsync bool // the data is made again when it is lost

	// Serve runs simulators and roles until ctx ends.
	Serve func(ctx context.Context, p *Platform) error
}

// RunWith is Run with other roles and data.
func RunWith(ctx context.Context, cfg *config.Config, log *slog.Logger, out io.Writer, o Options) (err error) {
	if err := onLoopback(cfg); err != nil {
		return err
	}
	phase(out, "starting Postgres, Redis and the object store in "+cfg.DataDir)
	stack, err := embedded.Start(ctx, embedded.Options{
		DataDir: cfg.DataDir, Logger: log, Postgres: embedded.PostgresOptions{NoFsync: o.NoFsync},
		SkipPostgres: cfg.Postgres.DatabaseURL != "", SkipRedis: cfg.Redis.RedisURL != "", SkipS3: cfg.Objects.Endpoint != "",
	})
	if err != nil {
		return err
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stackStopTimeout)
		defer cancel()
		err = errors.Join(err, stack.Stop(stop))
	}()
	asked := ctx
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	go func() {
		select {
		case failure := <-stack.Failed():
			fail(failure)
		case <-ctx.Done():
		}
	}()
	if err = fillIn(cfg, stack); err != nil {
		return err
	}
	err = o.Serve(ctx, &Platform{Config: cfg, Log: log, Out: out, Stack: stack})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	if asked.Err() != nil && errors.Is(err, context.Canceled) { // it was interrupted while it started
		return nil
	}
	return err
}

// onLoopback returns ErrPublicAddress if a configured address is reached from other machines.
func onLoopback(cfg *config.Config) error {
	listeners := [][2]string{
		{"HTTP_ADDR", cfg.HTTP.Addr}, {"SIM_GATEWAY_ADDR", cfg.Simulator.GatewayAddr}, {"SIM_LOTTERY_ADDR", cfg.Simulator.LotteryAddr},
		{"SIM_RATES_ADDR", cfg.Simulator.RatesAddr},
	}
	if cfg.HTTP.TLSAddr != "" {
		listeners = append(listeners, [2]string{"TLS_ADDR", cfg.HTTP.TLSAddr})
	}
	for _, listener := range listeners {
		if !loopback(listener[1]) {
			return fmt.Errorf("%s: %w", listener[0], ErrPublicAddress)
		}
	}
	return nil
}

// phase reports what the start waits for.
func phase(out io.Writer, name string) { _, _ = fmt.Fprintln(out, "==", name) }

// serve seeds the database and runs the roles.
func serve(ctx context.Context, p *Platform) error {
	phase(p.Out, "migrating the database")
	if err := app.Migrate(ctx, p.Config, p.Log); err != nil {
		return err
	}
	return p.Run(ctx, &Round{
		Fill:    func(ctx context.Context, a *app.App) error { return fill(ctx, a, p) },
		Ready:   func(s *Simulators) { announce(p.Out, p.Config, p.Stack, s) },
		Options: []app.Option{app.WithPages(gallery.Area())},
	})
}

func fill(ctx context.Context, a *app.App, p *Platform) error {
	phase(p.Out, "writing the seed data")
	if err := a.Seed(ctx); err != nil {
		return err
	}
	if err := a.SeedExamples(ctx); err != nil { // an edited seed, such as a suspended ticket point, may refuse the sale
		p.Log.WarnContext(ctx, "the records of the request examples are incomplete", "error", err)
	}
	if err := a.CatchUp(ctx); err != nil {
		return err
	}
	phase(p.Out, "starting the api, the worker and the scheduler")
	return nil
}

// fillIn sets empty settings: addresses of the embedded servers, secrets kept in the data directory, and the bank
// allowed from this machine.
func fillIn(cfg *config.Config, stack *embedded.Stack) error {
	testbed.Of(stack).Use(cfg)
	if len(cfg.Bank.AllowedIPs) == 0 {
		cfg.Bank.AllowedIPs = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	}
	cfg.Auth.SecondPersonWait = 0 // its accounts are minutes old
	cfg.Bank.RequireTLS = false   // nothing but loopback reaches it
	if len(cfg.Bank.SimulatorTargets) == 0 {
		cfg.Bank.SimulatorTargets = []string{strings.TrimSuffix(cfg.HTTP.PublicURL, "/") + cfg.HTTP.BasePath}
	}
	for _, s := range []struct {
		secret   *config.Secret
		name     string
		generate func() string
	}{
		{&cfg.Auth.JWTSecret, "jwt-secret", config.NewSecret},
		{&cfg.Bank.WebhookToken, "bank-webhook-token", uuid.NewString},
		{&cfg.Messaging.APIKey, "messaging-api-key", config.NewSecret},
		{&cfg.Secrets.Keys, "secret-keys", func() string { return "dev:" + config.NewSecret() }},
	} {
		if *s.secret != "" {
			continue
		}
		kept, err := stack.Secrets.Get(s.name, s.generate)
		if err != nil {
			return fmt.Errorf("secret %s: %w", s.name, err)
		}
		*s.secret = config.Secret(kept)
	}
	return nil
}

func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// announce prints where everything is and how to log in.
func announce(out io.Writer, cfg *config.Config, stack *embedded.Stack, sims *Simulators) {
	url := cfg.HTTP.PublicURL
	_, _ = fmt.Fprintf(out, `
banca is ready

  API            %s
  documentation  %s/docs
  admin          %s/admin   (queues: %s/admin/queues)
  messages       %s   (simulated gateways: QR codes, faults, outbox at /outbox)
  gateways' key  %s   (of Evolution and WAHA at that address, token and secret of the Cloud API, secret of http at /signed)
  lottery        %s   (simulated external system)
  rates          %s   (simulated source of exchange rates: /rates)
  AI models      %s   (simulated, they answer by rule)
  object store   %s
  bank token     %s   (POST /BancoConsulta, /BancoNotifica; TelefonoComercio %s)

  users, password %s:
`, url, url, url, url, sims.GatewayURL, cfg.Messaging.APIKey.Reveal(), sims.LotteryURL, sims.RatesURL, sims.ModelsURL, cfg.Objects.Endpoint, cfg.Bank.WebhookToken.Reveal(), seed.MerchantPhone, seed.Password)
	for _, u := range append(seed.Users(), seed.Verifier()) {
		_, _ = fmt.Fprintf(out, "    %-22s %s\n", u.Email, u.Role)
	}
	if cfg.Redis.RedisURL == config.Secret(stack.RedisURL) && !stack.RedisDurable {
		_, _ = fmt.Fprintln(out, "\n  no redis-server found: an in-process stand-in keeps the queues, and forgets them at the end")
	}
	_, _ = fmt.Fprintln(out)
}
