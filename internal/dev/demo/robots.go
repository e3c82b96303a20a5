package demo

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
)

const (
	tokenLife  = 10 * time.Minute
	payEvery   = 50 * time.Second // looks for prizes to pay, at a pace of 1
	bankEvery  = 4 * time.Minute  // mobile payments, at a pace of 1
	atNight    = time.Minute      // between looks for draws, when none is on sale
	linesSold  = 3                // of a ticket, about
	cancelled  = 3                // tickets in percent
	leastPause = 500 * time.Millisecond
)

// cashier is a robot at a ticket point.
type cashier struct {
	place *volume.Place
	token string
	since time.Time // of the login
}

// robots sell, cancel and pay as the cashiers of the ticket points do, through the API.
type robots struct {
	*client

	profile   *volume.Profile
	pace      float64
	lines     int // of a mean day
	clock     clock.Clock
	zone      *time.Location
	log       *slog.Logger
	rng       *rand.Rand
	bankToken string

	cashiers []*cashier
	office   *cashier // the administrator, who sells nothing
	sale     *catalogue
	cancels  []pendingCancel
}

// pendingCancel is a ticket whose buyer thinks again.
type pendingCancel struct {
	by     *cashier
	ticket string
	at     time.Time
}

func newRobots(d *demonstration, cfg *config.Config) *robots {
	r := &robots{
		client: newClient("http://" + cfg.HTTP.Addr + cfg.HTTP.BasePath), profile: d.profile, pace: d.Pace, lines: d.Lines, clock: d.clock,
		zone: cfg.Business.Zone, log: d.log, bankToken: cfg.Bank.WebhookToken.Reveal(),
		rng: rand.New(rand.NewPCG(uint64(d.clock.Now().UnixNano()), 1)), //nolint:gosec // not a secret
	}
	d.profile.Each(func(place, _ *volume.Place, _ int) {
		if place.Below == nil && !place.Silent {
			r.cashiers = append(r.cashiers, &cashier{place: place})
		}
	})
	r.office = &cashier{place: &volume.Place{User: volume.User{Identifier: seed.Users()[0].Email}}}
	return r
}

// run works until ctx ends.
func (r *robots) run(ctx context.Context) {
	now := r.clock.Now()
	sell, pay, bank := now, now.Add(r.spread(payEvery)), now.Add(r.spread(payEvery))
	for ctx.Err() == nil {
		now = r.clock.Now()
		switch {
		case r.profile.Hours[now.In(r.zone).Hour()] == 0:
			pause(ctx, atNight)
		case !now.Before(sell):
			sell = now.Add(r.sellNext(ctx, now))
		case len(r.cancels) > 0 && !now.Before(r.cancels[0].at):
			r.cancelNext(ctx)
		case !now.Before(pay):
			r.report(ctx, "pay prizes", r.payPrizes(ctx))
			pay = now.Add(r.spread(payEvery))
		case !now.Before(bank):
			r.report(ctx, "pay by bank", r.payByBank(ctx, r.cashierAt(now)))
			bank = now.Add(r.spread(bankEvery))
		default:
			pause(ctx, leastPause)
		}
	}
}

// spread returns a random time around an interval at the pace.
func (r *robots) spread(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) / r.pace * (1/2. + r.rng.Float64()))
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// sellNext sells a ticket and returns the time until the next one.
func (r *robots) sellNext(ctx context.Context, now time.Time) time.Duration {
	local := now.In(r.zone)
	perHour := float64(r.lines) / linesSold * r.profile.Hour(local.Weekday(), local.Hour()) * r.pace
	by := r.cashierAt(now)
	if by == nil {
		return atNight
	}
	ticket, err := r.sell(ctx, by)
	if errors.Is(err, errNothingOnSale) {
		return atNight
	}
	r.report(ctx, "sell", err)
	if err == nil && r.rng.IntN(100) < cancelled {
		const soonest, spread = 20 * time.Second, time.Minute
		at := now.Add(soonest + time.Duration(r.rng.Int64N(int64(spread))))
		r.cancels = append(r.cancels, pendingCancel{by, ticket, at})
	}
	return time.Duration(r.rng.ExpFloat64() * float64(time.Hour) / perHour)
}

func (r *robots) cancelNext(ctx context.Context) {
	c := r.cancels[0]
	r.cancels = r.cancels[1:]
	r.report(ctx, "cancel", r.as(ctx, c.by, &call{method: http.MethodPost, path: "/sales/tickets/" + c.ticket + "/cancel", key: uuid.NewString()}, nil))
}

// report logs a failure. A refusal, such as that of a limit, is part of a day.
func (r *robots) report(ctx context.Context, what string, err error) {
	var refused *refusal
	switch {
	case err == nil || ctx.Err() != nil:
	case errors.As(err, &refused) && refused.status < http.StatusInternalServerError:
		r.log.InfoContext(ctx, "a robot was refused", "to", what, "answer", err)
	default:
		r.log.WarnContext(ctx, "a robot failed", "to", what, "error", err)
	}
}

// cashierAt returns a cashier whose ticket point is open, by the weights of their sales; nil if none is.
func (r *robots) cashierAt(now time.Time) *cashier {
	hour, sum := now.In(r.zone).Hour(), 0.0
	for _, c := range r.cashiers {
		if c.place.Opens <= hour {
			sum += c.place.Weight
		}
	}
	left := r.rng.Float64() * sum
	for _, c := range r.cashiers {
		if c.place.Opens > hour {
			continue
		}
		if left -= c.place.Weight; left < 0 {
			return c
		}
	}
	return nil
}

// as makes a request as a cashier, who logs in first if the token is old.
func (r *robots) as(ctx context.Context, c *cashier, o *call, into any) error {
	if now := r.clock.Now(); now.Sub(c.since) > tokenLife {
		var session struct {
			AccessToken string `json:"access_token"`
		}
		login := &call{method: http.MethodPost, path: "/auth/login", body: map[string]string{"identifier": c.place.User.Identifier, "password": seed.Password}}
		if err := r.do(ctx, login, &session); err != nil {
			return err
		}
		c.token, c.since = "Bearer "+session.AccessToken, now
	}
	o.authorization = c.token
	err := r.do(ctx, o, into)
	var refused *refusal
	if errors.As(err, &refused) && refused.status == http.StatusUnauthorized {
		c.since = time.Time{}
	}
	return err
}
