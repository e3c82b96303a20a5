package exports

import (
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/exports"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/internal/weekly"
)

// failures lists the errors of the operations.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"create-export": {
			exports.ErrReportUnknown, exports.ErrFilter, exports.ErrLimit, auth.ErrForbidden, sheet.ErrTooLarge,
			idempotency.ErrInvalidKey, idempotency.ErrKeyReused, idempotency.ErrUnknownOutcome, exports.ErrNotFound,
			reports.ErrPeriodReversed, reports.ErrPeriodTooLong, reports.ErrNoGame, org.ErrEntityNotFound, ledger.ErrCurrencyNotFound, ledger.ErrWalletUnknown,
			catalog.ErrCategoryNotFound, catalog.ErrGameNotFound, catalog.ErrDrawNotFound,
			weekly.ErrWeek, weekly.ErrRange, weekly.ErrStatusRange,
		},
		"get-export": {exports.ErrNotFound, exports.ErrNotReady},
	}
}
