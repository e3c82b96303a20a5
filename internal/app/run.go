package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"golang.org/x/sync/errgroup"

	"banca/api"
	"banca/api/realtime"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/platform/health"
	"banca/internal/platform/requestlog"
	"banca/scheduler"
	"banca/tasks/outbox"
	"banca/web"
	"banca/web/kit"
	"banca/worker"
)

// Role is a part of the platform that a process can run, in any number of processes.
type Role string

// The roles: api answers requests, worker runs tasks and moves the outbox, scheduler turns times into tasks.
const (
	RoleAPI       Role = "api"
	RoleWorker    Role = "worker"
	RoleScheduler Role = "scheduler"
)

// Limits of the HTTP server: slow clients must not hold connections, and requests under way at the end
// get time to finish.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	shutdownTimeout   = 15 * time.Second
	maxHeaderBytes    = 64 << 10
)

// App is a wired process.
type App struct {
	cfg      *config.Config
	mode     config.Mode
	log      *slog.Logger
	clock    clock.Clock      // follows the database's
	follows  *clock.Following // the same clock
	stores   *stores
	services *services
	monitors []io.Closer // of the views of the queues
	hub      *realtime.Hub
	pages    *web.Web
	areas    []kit.Area // of the panel, for development
	demo     *web.Demo  // nil but in a demonstration
	health   *health.Monitor
	requests *requestlog.Recorder

	out io.Writer // of the code of the setup

	stopTracing func() error  // sends the spans that are left
	clockOffset time.Duration // of the database's clock at the last measurement
}

// Option changes how a process is wired.
type Option func(*App)

// WithClock gives the process another clock than its machine's, which follows the database's all the same.
func WithClock(base clock.Clock) Option {
	return func(a *App) { a.follows = clock.Follow(base) }
}

// WithPages adds pages to the panel.
func WithPages(areas ...kit.Area) Option {
	return func(a *App) { a.areas = areas }
}

// WithDemo shows logins with their passwords at the login page of the panel. No setting does.
func WithDemo(demo *web.Demo) Option {
	return func(a *App) { a.demo = demo }
}

// Open connects to the stores and wires the services. The caller calls Close.
func Open(ctx context.Context, cfg *config.Config, mode config.Mode, log *slog.Logger, options ...Option) (*App, error) {
	stopTracing, err := startTracing(ctx, cfg, mode)
	if err != nil {
		return nil, err
	}
	st, err := openStores(ctx, cfg, mode, log)
	if err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, mode: mode, log: log, follows: clock.Follow(clock.System{}), stores: st, out: os.Stdout, stopTracing: stopTracing}
	for _, option := range options {
		option(a)
	}
	a.clock = a.follows
	a.setClock(ctx)
	if err := applyZone(ctx, st, cfg, mode); err != nil {
		return nil, errors.Join(err, st.close())
	}
	if a.services, err = newServices(st, cfg, mode, a.clock, log); err != nil {
		return nil, errors.Join(err, st.close())
	}
	a.requests = requestlog.NewRecorder(a.clock)
	a.health = a.newMonitor()
	return a, nil
}

// Close ends the connections.
func (a *App) Close() error {
	var errs []error
	for _, m := range a.monitors {
		errs = append(errs, m.Close())
	}
	return errors.Join(append(errs, a.stores.close(), a.stopTracing())...)
}

// Run runs roles until ctx ends or one of them fails. onReady is called once requests are answered. Errors:
// storage.ErrUnmigrated.
func (a *App) Run(ctx context.Context, onReady func(), roles ...Role) error {
	if err := a.checkSchema(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, role := range roles {
		switch role {
		case RoleAPI:
			listeners, err := a.listen(ctx)
			if err != nil {
				return err
			}
			handler, err := a.handler() //nolint:contextcheck // requests have contexts of their own
			if err != nil {
				return errors.Join(err, closeAll(listeners))
			}
			group.Go(func() error { return a.serve(ctx, listeners, handler) })
			group.Go(func() error { return a.announceSetup(ctx) })
		case RoleWorker:
			group.Go(func() error { return a.work(ctx) })
		case RoleScheduler:
			group.Go(func() error { return a.schedule(ctx) })
		}
	}
	group.Go(func() error { return a.followSetup(ctx) })
	if a.cfg.Telemetry.OpsAddr != "" {
		serve, err := a.listenOps(ctx, roles)
		if err != nil {
			return err
		}
		group.Go(func() error { return serve(ctx) })
	}
	notifying, stop := context.WithCancel(context.WithoutCancel(ctx))
	var notifier sync.WaitGroup
	notifier.Go(func() { a.services.notifier.Run(notifying) })
	notifier.Go(func() { a.services.bus.Run(notifying) })
	notifier.Go(func() { a.followDatabase(notifying) })
	notifier.Go(func() { newResting().run(notifying) })
	if a.stores.replica != nil {
		notifier.Go(func() { a.stores.replica.Run(notifying) })
	}
	defer notifier.Wait()
	defer stop() // after the roles: their last commits are announced, too
	onReady()
	return group.Wait()
}

// Listen opens a listener; where the port is taken the error names the variable to change.
func Listen(ctx context.Context, variable, addr string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot listen on %s: %w (choose another address with %s)", variable, addr, err, variable)
	}
	return l, nil
}

// serve serves requests. At its end it first finishes the requests, then the sales and notifications queued behind
// them, and writes the counts of the clients.
func (a *App) serve(ctx context.Context, listeners []net.Listener, handler http.Handler) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { a.services.sales.Run(background) })
	running.Go(func() { a.services.bank.Run(background) })
	running.Go(func() { a.services.limiter.Run(background) })
	running.Go(func() { a.services.auth.Run(background, a.log) })
	running.Go(func() { a.services.news.Run(background, a.services.bus) })
	running.Go(func() { a.health.Run(background) })
	running.Go(func() { a.requests.Run(background, a.stores.pg.SessionConfig(), a.log) })
	connected, disconnect := context.WithCancel(ctx)
	running.Go(func() { a.hub.Run(connected) }) // ends at once with ctx: the server does not track its connections
	defer running.Wait()
	defer stop()
	defer disconnect()

	server := &http.Server{
		Handler: api.HeadAsGet(handler), ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- server.Serve(l) }()
	}
	select {
	case err := <-failed:
		return fmt.Errorf("http server: %w", errors.Join(err, server.Close()))
	case <-ctx.Done():
		a.services.assistant.Close()
		a.pages.Close()
		return shutDown(ctx, server, shutdownTimeout)
	}
}

// shutDown waits for requests to finish and cuts off those that take longer than timeout, because their dependencies
// are closed next.
func shutDown(ctx context.Context, server *http.Server, timeout time.Duration) error {
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	if err := server.Shutdown(finish); err != nil {
		return errors.Join(fmt.Errorf("http server: requests were cut off: %w", err), server.Close())
	}
	return nil
}

// work runs tasks and moves committed outbox rows to the queue.
func (a *App) work(ctx context.Context) error {
	registry, err := newRegistry(a.services, a.clock, a.log)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	queue := asynq.NewClientFromRedisClient(a.stores.redis)
	relay := outbox.NewRelay(a.stores.pg.Pool, queue, outbox.RelayConfig{Poll: a.cfg.Worker.OutboxPollInterval, Listen: a.stores.pg.SessionConfig()}, a.log)
	group.Go(func() error { relay.Run(ctx); return nil })
	finisher := outbox.NewFinisher(a.stores.pg.Pool, a.log)
	finishing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var finished sync.WaitGroup
	finished.Go(func() { finisher.Run(finishing) })
	finished.Go(func() { a.services.sales.RunTasks(finishing) })
	finished.Go(func() { a.services.messaging.RunTasks(finishing) })
	defer finished.Wait()
	defer stop() // after the tasks: the last ones share statements, and their rows are deleted, too
	group.Go(func() error {
		return worker.NewServer(a.stores.redis, registry, worker.Config{
			Concurrency: a.cfg.Worker.Concurrency, Waiting: a.cfg.Worker.Waiting, TaskCheckInterval: a.cfg.Worker.QueueCheckInterval, Finished: finisher.Finish,
		}, a.log).Run(ctx)
	})
	return group.Wait()
}

// schedule turns times into tasks while this process is the leader among schedulers.
func (a *App) schedule(ctx context.Context) error {
	s, err := scheduler.New(scheduler.Config{
		Session: a.stores.pg.SessionConfig(), Entries: scheduler.Entries(), Clock: a.clock, Log: a.log, Wake: a.services.notifier.Wake,
	})
	if err != nil {
		return err
	}
	s.Run(ctx)
	return nil
}
