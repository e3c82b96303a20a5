package reports

import (
	"context"

	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/rollup"
)

// CurrencyTotal is the total of one currency.
type CurrencyTotal struct {
	Currency ledger.Currency
	rollup.Figures
}

// Summary is the total of an entity in each currency with figures, or in the one of the filter. Its Head has no
// currency.
type Summary struct {
	Head
	Totals []CurrencyTotal
}

// Summary returns the totals of an entity. Errors: see ask.
func (s *Service) Summary(ctx context.Context, by caller.Caller, f *Filter) (*Summary, error) {
	currencies, err := s.currenciesOf(ctx, f.Currency)
	if err != nil {
		return nil, err
	}
	report := &Summary{}
	for _, c := range currencies {
		one := *f
		one.Currency = c.ID.String()
		q, err := s.ask(ctx, by, &one)
		if err != nil {
			return nil, err
		}
		rows, err := s.totals.Sum(ctx, &q.query)
		if err != nil {
			return nil, err
		}
		report.Head = q.Head
		if f.Currency != "" || rows[0].Figures != (rollup.Figures{}) {
			report.Totals = append(report.Totals, CurrencyTotal{Currency: c, Figures: rows[0].Figures})
		}
	}
	report.Currency = ledger.Currency{}
	return report, nil
}

// currenciesOf returns the named currency, or all.
func (s *Service) currenciesOf(ctx context.Context, named string) ([]ledger.Currency, error) {
	if named == "" {
		return s.ledger.Currencies(ctx)
	}
	c, err := s.ledger.AnyCurrency(ctx, named)
	return []ledger.Currency{c}, err
}
