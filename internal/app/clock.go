package app

import (
	"context"
	"log/slog"
	"time"

	"banca/storage"
)

const (
	clockEvery   = 10 * time.Second
	clockSamples = 3
	clockTimeout = 2 * time.Second
	clockWarning = time.Second // a difference that is logged as a warning
)

// followDatabase keeps the process's clock at the database's until ctx ends.
func (a *App) followDatabase(ctx context.Context) {
	tick := time.NewTicker(clockEvery)
	defer tick.Stop()
	for {
		a.setClock(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// setClock measures the database's clock by the quickest of some answers. Without an answer the clock keeps its offset.
func (a *App) setClock(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	var asked, database, answered time.Time
	for range clockSamples {
		began := a.follows.Ticks()
		now, err := storage.Now(ctx, a.stores.pg.Pool)
		if err != nil {
			break
		}
		if ended := a.follows.Ticks(); database.IsZero() || ended.Sub(began) < answered.Sub(asked) {
			asked, database, answered = began, now, ended
		}
	}
	if database.IsZero() {
		return
	}
	a.follows.Observe(asked, database, answered)
	before, now := a.clockOffset, a.follows.Offset()
	a.clockOffset = now
	if now.Abs() > clockWarning && (now-before).Abs() > clockWarning {
		a.log.WarnContext(ctx, "the clock of this machine differs from the database's, which decides", slog.Duration("behind_by", now))
	}
}
