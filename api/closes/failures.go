package closes

import (
	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/months"
	"banca/internal/receipts"
	"banca/internal/risk"
)

// failures lists the errors of the operations on daily closes.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"close-day": {
			closes.ErrCash, closes.ErrClosed, closes.ErrEarlierOpen, closes.ErrFuture, closes.ErrMissing, closes.ErrNotFound, closes.ErrNote, closes.ErrPending,
			idempotency.ErrInvalidKey, idempotency.ErrKeyReused, risk.ErrUnavailable,
		},
		"get-daily-balance":       {closes.ErrEntityNotFound, closes.ErrFuture, months.ErrPeriodArchived},
		"get-daily-close":         {closes.ErrNotFound},
		"get-daily-close-receipt": {closes.ErrNotFound, receipts.ErrTooLarge, receipts.ErrFormat},
		"hand-over": {
			closes.ErrCash, closes.ErrClosed, closes.ErrNoDrawer, closes.ErrNotFound, closes.ErrNote, closes.ErrPending, closes.ErrWaiting, idempotency.ErrInvalidKey,
			idempotency.ErrKeyReused, risk.ErrUnavailable,
		},
		"list-daily-closes":   {closes.ErrRange, ledger.ErrCurrencyNotFound},
		"list-handovers":      {closes.ErrNotFound},
		"take-over":           {closes.ErrClosed, closes.ErrHandoverNotFound, closes.ErrNotFound, closes.ErrOwnDrawer, closes.ErrTaken},
		"list-missing-closes": {closes.ErrEntityNotFound, closes.ErrFuture},
		"open-day": {
			closes.ErrCash, closes.ErrClosed, closes.ErrEntityNotFound, closes.ErrFuture, closes.ErrTooOld, idempotency.ErrInvalidKey, idempotency.ErrKeyReused,
			ledger.ErrCurrencyNotFound,
		},
	}
}
