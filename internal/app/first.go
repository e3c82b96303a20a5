package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"banca/internal/auth"
	"banca/internal/platform/config"
	"banca/internal/setup"
	"banca/storage"
)

// ErrZoneChanged ends a process whose database was set up with another time zone than the process runs in. The caller
// opens it again.
var ErrZoneChanged = errors.New("the setup chose another time zone: the process starts again")

// zoneEvery is the time within which a process follows the setup.
const zoneEvery = 2 * time.Second

// applyZone takes the time zone of the setup, unless the configuration names one.
func applyZone(ctx context.Context, st *stores, cfg *config.Config, mode config.Mode) error {
	if mode == config.ModeMigrate || cfg.Business.ZoneGiven() {
		return nil
	}
	zone, err := storedZone(ctx, st)
	if err == nil && zone != nil {
		cfg.Business.Zone = zone
	}
	return err
}

// storedZone returns the time zone of the setup, nil for none.
func storedZone(ctx context.Context, st *stores) (*time.Location, error) {
	stored, err := setup.Stored(ctx, st.pg.Pool)
	if storage.IsNoTable(err) { // checkSchema names the remedy
		err = nil
	}
	if err != nil || stored.Zone == "" {
		return nil, err
	}
	zone, err := time.LoadLocation(stored.Zone)
	if err != nil {
		return nil, fmt.Errorf("time zone of the setup: %w", err)
	}
	return zone, nil
}

// announceSetup prints the one-time code of the page /setup while the database has no administrator.
func (a *App) announceSetup(ctx context.Context) error {
	code, err := a.services.setup.NewCode(ctx)
	if errors.Is(err, auth.ErrHasUsers) {
		return nil
	}
	if err != nil {
		return unlessEnded(ctx, err)
	}
	_, err = fmt.Fprintf(a.out, "setup: open %s/setup and type the code %s\n", a.cfg.HTTP.PublicURL, code)
	return err
}

// unlessEnded returns nil where the end of the process has cancelled what failed.
func unlessEnded(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// followSetup returns ErrZoneChanged if the database is set up with another time zone than the process has, also while the
// process starts, and nil when ctx ends.
func (a *App) followSetup(ctx context.Context) error {
	if a.cfg.Business.ZoneGiven() {
		return nil
	}
	every := time.NewTicker(zoneEvery)
	defer every.Stop()
	for {
		needed, err := a.services.setup.Needed(ctx) // before the zone, which the setup writes in the same transaction
		var zone *time.Location
		if err == nil {
			zone, err = storedZone(ctx, a.stores)
		}
		switch {
		case err != nil: // an outage is logged by its monitor
		case zone != nil && zone.String() != a.cfg.Business.Zone.String():
			return ErrZoneChanged
		case !needed:
			<-ctx.Done()
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
	}
}
