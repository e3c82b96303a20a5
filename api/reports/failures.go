package reports

import (
	"slices"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/months"
	"banca/internal/reports"
)

// failures lists the errors of the operations.
func failures() map[string][]*apperr.Error {
	common := []*apperr.Error{reports.ErrPeriodReversed, reports.ErrPeriodTooLong, org.ErrEntityNotFound, ledger.ErrCurrencyNotFound}
	games := append(slices.Clip(common), catalog.ErrCategoryNotFound, catalog.ErrGameNotFound)
	return map[string][]*apperr.Error{
		"sales-summary":    common,
		"report-sales":     append(slices.Clip(games), reports.ErrNoGame),
		"report-levels":    games,
		"report-waterfall": games,
		"report-balances":  common,

		"report-draw-tickets":   append(slices.Clip(common), catalog.ErrDrawNotFound, months.ErrArchived),
		"report-expired-prizes": append(slices.Clip(common), months.ErrPeriodArchived),
	}
}
