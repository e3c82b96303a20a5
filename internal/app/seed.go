package app

import (
	"context"
	"fmt"

	"banca/internal/auth"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
)

// Seed fills the database with the demonstration data and generates the coming draws; what exists stays.
func (a *App) Seed(ctx context.Context) error {
	if err := seed.Run(ctx, a.stores.pg, a.seedOptions()); err != nil {
		return err
	}
	return a.generate(ctx)
}

// SeedOperator is Seed without entities below the operator.
func (a *App) SeedOperator(ctx context.Context, operator seed.Operator) error {
	o := a.seedOptions()
	o.Operator = &operator
	if err := seed.Run(ctx, a.stores.pg, o); err != nil {
		return err
	}
	return a.generate(ctx)
}

// SeedVolume adds a history of many days to a seeded database, folds the balances and counts the totals. It sets the
// operator, the time and the zone of the options.
func (a *App) SeedVolume(ctx context.Context, o volume.Options) error {
	if err := a.complete(ctx, &o); err != nil {
		return err
	}
	if err := volume.Run(ctx, a.stores.pg, o); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(o.Progress, "folding balances and counting totals")
	a.services.org.Forget()
	return a.count(ctx)
}

// SeedToday adds the sales of the day in progress to a database of SeedVolume with the same options, and counts them.
func (a *App) SeedToday(ctx context.Context, o volume.Options) error {
	if err := a.complete(ctx, &o); err != nil {
		return err
	}
	w, err := volume.Resume(ctx, a.stores.pg, o)
	if err != nil {
		return err
	}
	if err := w.WriteToday(ctx, o.Lines/max(o.Days, 1)); err != nil {
		return err
	}
	return a.count(ctx)
}

// SeedCloses closes the days that are over and drafts the last week, as the tasks of the scheduler would do in some minutes.
func (a *App) SeedCloses(ctx context.Context) error {
	for closed := 1; closed > 0; {
		var err error
		if closed, err = a.services.closes.Due(ctx); err != nil {
			return err
		}
	}
	_, err := a.services.weekly.Due(ctx)
	return err
}

func (a *App) complete(ctx context.Context, o *volume.Options) (err error) {
	o.Root, err = a.services.org.Root(ctx)
	o.Now, o.Zone = a.clock.Now(), a.cfg.Business.Zone
	return err
}

// count folds the balances and counts the totals.
func (a *App) count(ctx context.Context) error {
	for folded := 1; folded > 0; {
		var err error
		if folded, err = a.services.ledger.Fold(ctx); err != nil {
			return err
		}
	}
	if err := a.services.ledger.CountDays(ctx); err != nil {
		return err
	}
	return a.services.rollup.Advance(ctx)
}

func (a *App) seedOptions() seed.Options {
	return seed.Options{HashPassword: func(password string) (string, error) {
		return auth.HashPassword(password, a.cfg.Auth.BcryptCost)
	}}
}
