package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/hibiken/asynq"

	apicustomers "banca/api/customers"
	apiledger "banca/api/ledger"
	apireports "banca/api/reports"
	apiweekly "banca/api/weekly"
	"banca/internal/activity"
	"banca/internal/alerts"
	"banca/internal/assistant"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/customers"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/exports"
	"banca/internal/ledger"
	"banca/internal/lottery"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/templates"
	"banca/internal/notices"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
	"banca/internal/platform/config"
	"banca/internal/platform/exchange"
	"banca/internal/platform/months"
	"banca/internal/platform/pixels"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/platform/requestlog"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/reports"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup"
	"banca/internal/weekly"
	"banca/storage"
	"banca/tasks/outbox"
)

// services are the domains over the stores, and the notifier that wakes relays after a commit.
type services struct {
	pg          *storage.Postgres
	activity    *activity.Service
	org         *org.Service
	auth        *auth.Service
	catalog     *catalog.Service
	ledger      *ledger.Service
	closes      *closes.Service
	weekly      *weekly.Service
	customers   *customers.Service
	messaging   *messaging.Service
	connections *connections.Service
	templates   *templates.Service
	notices     *notices.Service
	risk        *risk.Service
	sales       *sales.Service
	prizes      *prizes.Service
	limits      *risk.Keeper
	exposure    *exposure.Service
	draws       *draws.Service
	rollup      *rollup.Service
	reports     *reports.Service
	exports     *exports.Service
	assistant   *assistant.Service
	models      assistant.Models
	chain       *completion.Chain // the same models
	lottery     *lottery.Client
	alerts      *alerts.Service
	bank        *bank.Service
	devices     *devices.Service
	bus         *realtime.Bus
	news        *realtime.Listeners
	notifier    *outbox.Notifier
	recovery    *outbox.Recovery
	archive     *outbox.Archive
	limiter     *ratelimit.Limiter
	requests    *requestlog.Log
	months      *months.Service
	setup       *setup.Service
}

func newServices(
	st *stores, cfg *config.Config, mode config.Mode, clk clock.Clock, log *slog.Logger,
) (*services, error) {
	outside, err := newLottery(cfg, clk)
	if err != nil {
		return nil, err
	}
	rates, err := newRates(cfg)
	if err != nil {
		return nil, err
	}
	s := &services{
		pg:       st.pg,
		lottery:  outside,
		activity: activity.New(st.pg, clk),
		ledger:   ledger.New(st.pg, ledger.Options{Zone: cfg.Business.Zone, Clock: clk, Rates: rates, MaxRateChange: cfg.Rates.MaxChange}),
		risk:     risk.New(st.pg, st.redis, clk),
		rollup:   rollup.New(st.pg, cfg.Business.Zone),
		bus:      realtime.NewBus(st.redis, log),
		news:     realtime.NewListeners(),
		notifier: outbox.NewNotifier(st.pg.Pool, log),
		requests: requestlog.New(st.pg, cfg.HTTP.RequestRetention), months: &months.Service{PG: st.pg, Objects: st.private, Clock: clk, Keep: cfg.Postgres.ArchiveAfter, Log: log},
		archive:  outbox.NewArchive(st.pg.Pool, st.redis, clk),
		recovery: outbox.NewRecovery(st.pg.Pool, st.redis, asynq.NewInspectorFromRedisClient(st.redis), clk),
	}
	pictures := pixels.NewMemory(int64(cfg.HTTP.ImageMemory)<<20, pixels.DefaultWait)
	s.catalog = catalog.New(st.pg, clk, catalog.Options{
		Zone: cfg.Business.Zone, DaysAhead: cfg.Business.DrawDaysAhead, SaleStop: cfg.Business.SaleStop, Pictures: st.objects, Memory: pictures, Wake: s.notifier.Wake,
		CheckAPI: outside.Check,
	})
	s.org = org.New(st.pg.Gorm, org.Options{Documents: st.private, Classes: s.classes, Memory: pictures, Clock: clk})
	if s.auth, err = newAuth(st, cfg, clk, s); err != nil {
		return nil, err
	}
	if s.limiter, err = newLimiter(st, cfg, clk, log); err != nil {
		return nil, err
	}
	s.devices, err = devices.New(devices.Deps{PG: st.pg, Clock: clk, Log: log, Events: s.bus, Secret: []byte(cfg.Auth.JWTSecret.Reveal())})
	if err != nil {
		return nil, err
	}
	if err := s.addMessaging(st, cfg, mode, clk, log); err != nil {
		return nil, err
	}
	if err := s.addSellers(st, cfg, clk, log); err != nil {
		return nil, err
	}
	s.addNotices(st, cfg, clk, log)
	s.bank = newBank(st, cfg, s, clk, log)
	s.setup = newSetup(st, cfg, s, clk, log)
	s.reports = newReports(st, cfg, s, clk)
	s.customers = customers.New(st.pg, s.bank.ForgetTx, s.messaging.ForgetTx)
	s.exports = exports.New(exports.Deps{
		Sources: slices.Concat(apireports.Sources(s.reports), apiledger.Sources(s.ledger), apicustomers.Sources(s.customers), apiweekly.Sources(s.weekly)),
		PG:      st.pg, Auth: s.auth, Objects: st.private, Clock: clk, Zone: cfg.Business.Zone,
		Retention: cfg.Exports.ExportRetention,
	})
	if s.assistant, err = newAssistant(st, cfg, s, clk, log); err != nil {
		return nil, err
	}
	return s, nil
}

// newReports returns the reports, which read the replica if there is one: they are of rows that a task has counted,
// and say up to when.
func newReports(st *stores, cfg *config.Config, s *services, clk clock.Clock) *reports.Service {
	return reports.New(reports.Deps{
		PG: st.reading(), Org: s.org, Catalog: s.catalog, Ledger: s.ledger, Totals: rollup.New(st.reading(), cfg.Business.Zone), Clock: clk, Zone: cfg.Business.Zone,
	})
}

func (s *services) addNotices(st *stores, cfg *config.Config, clk clock.Clock, log *slog.Logger) {
	s.notices = notices.New(notices.Deps{
		PG: st.pg, Org: s.org, Ledger: s.ledger, Messages: s.messaging, Texts: s.templates, Closes: s.closes, Weekly: s.weekly, Clock: clk, Zone: cfg.Business.Zone,
		PublicURL: cfg.HTTP.PublicURL, Wake: s.notifier.Wake, Log: log, Objects: st.objects, PictureSecret: []byte(cfg.Auth.JWTSecret.Reveal()),
	})
	s.alerts = alerts.New(alerts.Deps{PG: st.pg, Clock: clk, Retention: cfg.Bank.EventRetention})
}

// addSellers adds the domains that sell tickets, pay prizes and close days.
func (s *services) addSellers(st *stores, cfg *config.Config, clk clock.Clock, log *slog.Logger) error {
	renderer, err := receipts.New()
	if err != nil {
		return fmt.Errorf("receipts: %w", err)
	}
	s.sales = sales.New(sales.Deps{
		PG: st.pg, Org: s.org, Catalog: s.catalog, Ledger: s.ledger, Risk: s.risk, Messages: s.messaging, Texts: s.templates,
		Renderer: renderer, Objects: st.objects, Clock: clk, Log: log, Wake: s.notifier.Wake, Events: s.bus, Guesses: ratelimit.NewGuesses(st.redis, clk),
		Archive: &months.Archive{PG: st.pg, Objects: st.private},
		Options: sales.Options{MaxLines: cfg.Business.MaxTicketLines, Zone: cfg.Business.Zone, PublicURL: cfg.HTTP.PublicURL, PaymentCurrency: cfg.Bank.BankCurrency, PictureSecret: []byte(cfg.Auth.JWTSecret.Reveal())},
	})
	s.limits = risk.NewKeeper(s.risk, risk.KeeperDeps{Org: s.org, Catalog: s.catalog, Ledger: s.ledger, Events: s.bus})
	s.exposure = exposure.New(st.pg, s.org, s.catalog, s.ledger)
	s.prizes = prizes.New(prizes.Deps{
		PG: st.pg, Org: s.org, Catalog: s.catalog, Ledger: s.ledger, Guesses: ratelimit.NewGuesses(st.redis, clk), Renderer: renderer, Clock: clk, Events: s.bus,
		Zone: cfg.Business.Zone,
	})
	s.draws = draws.New(draws.Deps{
		PG: st.pg, Org: s.org, Renderer: renderer, Catalog: s.catalog, Cache: s.risk, Lottery: s.lottery, Zone: cfg.Business.Zone, PollDelays: cfg.Business.PollDelays, Refunds: s.sales, Clock: clk, Log: log, Events: s.bus, Wake: s.notifier.Wake,
		SecondPersonWait: cfg.Auth.SecondPersonWait,
	})
	s.closes = closes.New(closes.Deps{
		PG: st.pg, Org: s.org, Ledger: s.ledger, Sales: s.risk, Renderer: renderer, Clock: clk, Zone: cfg.Business.Zone,
	})
	s.weekly = weekly.New(weekly.Deps{
		PG: st.pg, Org: s.org, Ledger: s.ledger, Prizes: s.prizes, Totals: s.rollup, Renderer: renderer, Clock: clk,
		Zone: cfg.Business.Zone,
	})
	return nil
}

// newLottery returns the client of the sources of results.
func newLottery(cfg *config.Config, clk clock.Clock) (*lottery.Client, error) {
	return lottery.New(lottery.Options{
		Sources: cfg.Lottery.LotterySources, Secrets: cfg.Lottery.SecretTexts(), AllowedHosts: cfg.Lottery.LotteryHosts,
		Timeout: cfg.Lottery.LotteryTimeout, Clock: clk,
	})
}

// newRates returns the client of the source of exchange rates, nil without one.
func newRates(cfg *config.Config) (*exchange.Client, error) {
	if cfg.Rates.RatesURL == "" {
		return nil, nil //nolint:nilnil // no source is a setting
	}
	o := exchange.Options{URL: cfg.Rates.RatesURL, Secret: cfg.Rates.RatesSecret.Reveal(), Timeout: cfg.Rates.RatesTimeout}
	for _, pair := range cfg.Rates.Pairs {
		base, quote, _ := strings.Cut(pair, "/")
		o.Pairs = append(o.Pairs, exchange.Pair{Base: base, Quote: quote})
	}
	return exchange.New(o)
}

func newAuth(st *stores, cfg *config.Config, clk clock.Clock, s *services) (*auth.Service, error) {
	return auth.New(st.pg, clk, auth.Options{
		Secret: []byte(cfg.Auth.JWTSecret.Reveal()), AccessTTL: cfg.Auth.AccessTokenTTL, RefreshTTL: cfg.Auth.RefreshTokenTTL,
		BcryptCost: cfg.Auth.BcryptCost, Scope: s.org.Scope, Redis: st.redis, Wake: s.notifier.Wake, Events: s.bus,
		CredentialsKept: cfg.Auth.SecondPersonWait,
	})
}

func newLimiter(st *stores, cfg *config.Config, clk clock.Clock, log *slog.Logger) (*ratelimit.Limiter, error) {
	return ratelimit.New(ratelimit.Options{
		Limits: ratelimit.Limits{
			Requests: cfg.HTTP.RateLimitRequests, Device: cfg.HTTP.RateLimitDevice, Browser: cfg.HTTP.RateLimitPanel,
			Site: max(cfg.HTTP.RateLimitSite, cfg.HTTP.RateLimitRequests),
		},
		Window: cfg.HTTP.RateLimitWindow, AskTimeout: cfg.HTTP.RateLimitTimeout, Redis: st.redis, Clock: clk, Log: log,
	})
}

// deviceKeys lets the key of a device confirm a sensitive write. An invalid key leaves it to the password.
type deviceKeys struct{ devices *devices.Service }

// VerifyKey implements middleware.DeviceKeys.
func (k deviceKeys) VerifyKey(ctx context.Context, by caller.Caller, key string) error {
	_, err := k.devices.VerifyKey(ctx, by, key)
	if errors.Is(err, devices.ErrDeviceKey) {
		return auth.ErrConfirmationRequired.WithCause(err)
	}
	return err
}

// classes returns the categories and bet types of rates for org, which is of the same tier as the catalogue.
func (s *services) classes(ctx context.Context) (org.Classes, error) {
	categories, err := s.catalog.Categories(ctx)
	return org.Classes{Categories: categories, BetTypes: catalog.BetTypeNames()}, err
}

func newSetup(st *stores, cfg *config.Config, s *services, clk clock.Clock, log *slog.Logger) *setup.Service {
	return setup.New(setup.Deps{
		PG: st.pg, Org: s.org, Auth: s.auth, Guesses: ratelimit.NewGuesses(st.redis, clk), Clock: clk, Zone: cfg.Business.Zone,
		Sources: cfg.Lottery.SourceNames(), Done: s.setUp, Log: log,
	})
}
