// Package demo runs a demonstration: an operator with a history of 90 days, a day that goes on by itself, and a reset of all
// data every hour. It is no part of the shipped binary.
//
// Invariants: the database of a round is a copy of a template that is complete, renamed into place while no role runs, so
// that a reset that fails or is interrupted leaves the round before it or begins again at the next start. The template is of
// one business day and one build of the program.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"banca/internal/app"
	"banca/internal/auth"
	"banca/internal/dev"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
	"banca/web"
)

// ErrOwnServers refuses servers that the demonstration does not start: it deletes their data every hour.
var ErrOwnServers = errors.New("`banca-dev demo` deletes its data and runs on servers of its own: unset DATABASE_URL, REDIS_URL, S3_ENDPOINT and OBJECTS_DIR")

// Options are the parameters of a demonstration.
type Options struct {
	Every time.Duration // between resets
	Pace  float64       // of the robots; 1 sells a day like the days of the history, 0 sells nothing
	Days  int           // of the history
	Lines int           // bet lines of a mean day, about

	Reset <-chan struct{} // resets at once; nil for none
}

// Defaults are the options of `banca-dev demo`.
func Defaults() Options { return Options{Every: time.Hour, Pace: 1, Days: 90, Lines: 2_800} }

// check refuses options with which nothing could be shown.
func (o *Options) check() error {
	switch {
	case o.Every < 2*prepareAhead:
		return fmt.Errorf("--every must be at least %s", 2*prepareAhead)
	case !(o.Pace >= 0 && o.Pace <= maxPace): // NaN is no pace
		return fmt.Errorf("--pace must be from 0 to %d", maxPace)
	case o.Days < 1 || o.Lines < 1:
		return errors.New("--days and --lines must be at least 1")
	}
	return nil
}

const (
	maxPace = 1000
	dataDir = "demo" // below DATA_DIR

	bcryptCost = 8       // of passwords that the login page shows
	requests   = 100_000 // limit of the robots, which share an address

	// prepareAhead is the time before a reset in which its database is made.
	prepareAhead = 15 * time.Second
	retryAfter   = time.Minute // of a reset that failed
)

// demonstration is a running demonstration.
type demonstration struct {
	Options

	platform *dev.Platform
	profile  *volume.Profile
	program  string // identifies the build
	clock    clock.Clock
	log      *slog.Logger
	out      io.Writer
}

// Run returns when ctx ends or a part fails, with everything it started stopped.
func Run(ctx context.Context, cfg *config.Config, log *slog.Logger, out io.Writer, o Options) error {
	if cfg.Postgres.DatabaseURL != "" || cfg.Redis.RedisURL != "" || cfg.Objects.Endpoint != "" || cfg.ObjectsDir != "" {
		return ErrOwnServers
	}
	if err := o.check(); err != nil {
		return err
	}
	hash, err := auth.HashPassword(seed.Password, bcryptCost)
	if err != nil {
		return err
	}
	profile, err := Profile(hash)
	if err != nil {
		return err
	}
	build, err := program()
	if err != nil {
		return err
	}
	cfg.DataDir = filepath.Join(cfg.DataDir, dataDir)
	cfg.Auth.BcryptCost, cfg.HTTP.RateLimitRequests, cfg.HTTP.RateLimitDevice = bcryptCost, requests, requests
	d := &demonstration{Options: o, profile: profile, program: build, clock: clock.System{}, log: log, out: out}
	return dev.RunWith(ctx, cfg, log, out, dev.Options{Serve: d.serve})
}

// serve runs rounds, each on a fresh database.
func (d *demonstration) serve(ctx context.Context, p *dev.Platform) error {
	d.platform = p
	if err := d.prepare(ctx); err != nil {
		return err
	}
	for {
		stop := meanwhile(ctx, p.Config.HTTP.Addr)
		err := d.swap(ctx)
		if err == nil {
			err = d.round(ctx, stop)
		}
		stop()
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// round runs simulators, roles and robots until the next reset is prepared and due. It calls begin before the api listens.
func (d *demonstration) round(ctx context.Context, begin func()) error {
	cfg := *d.platform.Config
	p := *d.platform
	p.Config = &cfg
	running, end := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end()
	next := d.nextReset()
	beside.Go(func() {
		defer end()
		d.awaitReset(running, next)
	})
	err := p.Run(running, &dev.Round{
		Fill: func(ctx context.Context, a *app.App) error {
			defer begin()
			return a.CatchUp(ctx)
		},
		Ready: func(s *dev.Simulators) {
			d.announce(&cfg, s, next)
			if d.Pace > 0 {
				beside.Go(func() { newRobots(d, &cfg).run(running) })
			}
		},
		Options: []app.Option{app.WithDemo(&web.Demo{Logins: Logins(d.profile), Reset: next})},
	})
	if running.Err() != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// nextReset returns the next whole multiple of the interval, or the one after it if that is near.
func (d *demonstration) nextReset() time.Time {
	const near = 4
	now := d.clock.Now()
	next := now.Truncate(d.Every).Add(d.Every)
	if next.Sub(now) < d.Every/near {
		next = next.Add(d.Every)
	}
	return next
}

// awaitReset returns when the database of the next round is ready and its time has come, or ctx ends.
func (d *demonstration) awaitReset(ctx context.Context, next time.Time) {
	asked := d.wait(ctx, next.Add(-prepareAhead))
	for ctx.Err() == nil {
		err := d.prepare(ctx)
		if err == nil || ctx.Err() != nil {
			break
		}
		d.log.ErrorContext(ctx, "the reset of the demonstration failed and is tried again", "error", err)
		d.wait(ctx, d.clock.Now().Add(retryAfter))
	}
	if !asked {
		d.wait(ctx, next)
	}
}

// wait waits until a time, until a reset is asked for, which it reports, or until ctx ends.
func (d *demonstration) wait(ctx context.Context, until time.Time) (asked bool) {
	timer := time.NewTimer(until.Sub(d.clock.Now()))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-d.Reset:
		return true
	}
	return false
}

func (d *demonstration) phase(name string) { _, _ = fmt.Fprintln(d.out, "==", name) }

// announce prints where everything is and how to log in.
func (d *demonstration) announce(cfg *config.Config, s *dev.Simulators, next time.Time) {
	url := cfg.HTTP.PublicURL
	_, _ = fmt.Fprintf(d.out, `
the demonstration is ready; its data is reset at %s

  panel       %s/admin
  counter     %s/vender   (as the cashier)
  messages    %s/outbox   (what the simulated gateway delivered)

  logins, password %s:
`, next.In(cfg.Business.Zone).Format(time.Kitchen), url, url, s.GatewayURL, seed.Password)
	for _, l := range Logins(d.profile) {
		_, _ = fmt.Fprintf(d.out, "    %-22s %s, %s\n", l.Name, l.Person, l.Place)
	}
	_, _ = fmt.Fprintln(d.out)
}
