package reports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/recent"
	"banca/internal/rollup"
)

// Draws are the totals of draws in one currency, over all days.
type Draws struct {
	Currency ledger.Currency
	AsOf     time.Time // the events up to this time are counted; zero if none was ever counted
	ByDraw   map[uuid.UUID]rollup.Figures
}

// drawsKept bounds the totals of draws that are kept for the next seconds: so many sets of draws and scopes are
// watched at a time.
const drawsKept = 256

// drawsKey is what decides the totals of draws.
type drawsKey struct {
	asOf     time.Time
	path     string // of the entity; "" for the operator
	currency uuid.UUID
	draws    string // of recent.Key
}

// AsOf returns the time up to which events are counted; zero if none was ever counted.
func (s *Service) AsOf(ctx context.Context) (time.Time, error) { return s.totals.AsOf(ctx) }

// Draws returns the totals of the sales on draws in the caller's scope. Callers with the same draws share them until
// more events are counted, for some seconds at most, and must not change them. Errors: ledger.ErrCurrencyNotFound.
func (s *Service) Draws(ctx context.Context, by caller.Caller, currency string, draws []uuid.UUID) (*Draws, error) {
	of, err := s.ledger.AnyCurrency(ctx, currency)
	if err != nil {
		return nil, err
	}
	key := drawsKey{path: by.Scope.Path(), currency: of.ID, draws: recent.Key(draws)}
	switch {
	case by.Scope.IsZero():
		return &Draws{Currency: of}, nil
	case by.IsOperator():
		key.path = ""
	}
	if key.asOf, err = s.AsOf(ctx); err != nil {
		return nil, err
	}
	return s.recent.Get(ctx, key, func(ctx context.Context) (*Draws, error) {
		sums, err := s.totals.SumOfDraws(ctx, draws, of.ID, key.path)
		return &Draws{Currency: of, AsOf: key.asOf, ByDraw: sums}, err
	})
}

// SoldDraws returns the draws, of the given ones, on which an entity in the caller's scope, or an entity below it,
// sold tickets. Errors: org.ErrEntityNotFound.
func (s *Service) SoldDraws(
	ctx context.Context, by caller.Caller, entity uuid.UUID, draws []uuid.UUID,
) (map[uuid.UUID]bool, error) {
	chain, err := s.org.Chain(ctx, entity)
	if err != nil {
		return nil, err
	}
	if !by.Scope.Contains(chain.Path()) {
		return nil, org.ErrEntityNotFound
	}
	return s.totals.SoldDraws(ctx, draws, chain.Path())
}

// GameSales returns the net sales of each game over the period of a filter. A game without sales is missing. Errors:
// see ask.
func (s *Service) GameSales(ctx context.Context, by caller.Caller, f *Filter) (map[uuid.UUID]money.Amount, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	rows, err := s.totals.Sum(ctx, &q.query, rollup.ByGame)
	if err != nil {
		return nil, err
	}
	sold := make(map[uuid.UUID]money.Amount, len(rows))
	for i := range rows {
		sold[rows[i].GameID] = rows[i].NetSales()
	}
	return sold, nil
}
