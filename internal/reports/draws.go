package reports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/internal/ledger"
	"banca/internal/rollup"
)

// Draws are the totals of draws in one currency, over all days.
type Draws struct {
	Currency ledger.Currency
	AsOf     time.Time // the events up to this time are counted; zero if none was ever counted
	ByDraw   map[uuid.UUID]rollup.Figures
}

// Draws returns the totals of draws, of what was sold in the caller's scope. Errors: ledger.ErrCurrencyNotFound.
func (s *Service) Draws(ctx context.Context, by caller.Caller, currency string, draws []uuid.UUID) (*Draws, error) {
	d := &Draws{}
	var err error
	if d.Currency, err = s.ledger.AnyCurrency(ctx, currency); err != nil {
		return nil, err
	}
	if d.AsOf, err = s.totals.AsOf(ctx); err != nil {
		return nil, err
	}
	path := by.Scope.Path()
	if by.IsOperator() {
		path = ""
	}
	d.ByDraw, err = s.totals.SumOfDraws(ctx, draws, d.Currency.ID, path)
	return d, err
}
