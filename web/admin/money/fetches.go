package money

import (
	"time"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/web/kit"
)

// shownFetches bounds the fetches on the page of a currency.
const shownFetches = 10

// loadFetches adds what came of fetching rates, for those who may fetch them.
func (p *pages) loadFetches(r *kit.Request, page *currencyPage) error {
	page.Source = p.Ledger.RateSource()
	if !page.Writes {
		return nil
	}
	var err error
	page.fetched, _, err = p.Ledger.RateFetches(r.Context(), page.ID, shownFetches, 0)
	page.Fetches = kit.RowsOf(fetchColumns(), page.fetched, nil, "rate.fetches.none")
	return err
}

// ShowsFetches reports whether the page has fetches, or may have some.
func (p *currencyPage) ShowsFetches() bool { return p.Writes && (p.Source != "" || len(p.fetched) > 0) }

func fetchColumns() []kit.Column[ledger.RateFetch] {
	return []kit.Column[ledger.RateFetch]{
		kit.TimeColumn("rate.at", func(f *ledger.RateFetch) time.Time { return f.At }),
		{Title: "rate.pair", Cell: func(v *kit.View, f *ledger.RateFetch) kit.Cell {
			if f.Rate == 0 {
				return kit.Text(f.Pair.String())
			}
			return kit.Text(v.T("rate.one", f.Pair.Base, decimal(v, f.Rate.String()), f.Pair.Quote))
		}},
		kit.DayColumn("label.date", func(f *ledger.RateFetch) businessday.Day { return f.Day }).
			If(func(f *ledger.RateFetch) bool { return !f.Day.IsZero() }).TableOnly(),
		{Title: "rate.outcome", Cell: func(v *kit.View, f *ledger.RateFetch) kit.Cell {
			cell := kit.Badges(v.State("rate.fetch", f.Outcome))
			if f.Reason != "" {
				cell = cell.WithSecondLine(v.T("rate.reason." + f.Reason))
			}
			return cell
		}},
		kit.TextColumn("rate.source", func(f *ledger.RateFetch) string { return f.Source }),
	}
}

func (p *pages) fetchRates(r *kit.Request) error {
	return p.currency.Submit(r, p.Ledger.RequestRates(r.Context()), "rate.fetch")
}
