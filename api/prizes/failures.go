package prizes

import (
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/months"
	"banca/internal/prizes"
	"banca/internal/tickets"
)

// failures lists the errors of the operations on prizes.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"cancel-prize": {
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrNotPaid, prizes.ErrTextTooLong, idempotency.ErrInvalidKey,
			idempotency.ErrKeyReused, apperr.ErrStore, tickets.ErrNotFound, idempotency.ErrUnknownOutcome, months.ErrArchived,
		},
		"get-prize":      {catalog.ErrGameNotFound, tickets.ErrNotFound, months.ErrArchived},
		"get-prize-slip": {catalog.ErrGameNotFound, prizes.ErrNotPaid, tickets.ErrNotFound, months.ErrArchived},
		"list-prizes":    {months.ErrArchived, months.ErrPeriodArchived},
		"pay-prize": {
			ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrAlreadyPaid,
			prizes.ErrAttempts, prizes.ErrCancelled, prizes.ErrCollected, prizes.ErrDisputed, prizes.ErrExpired,
			prizes.ErrNotVerified, prizes.ErrNotWon, prizes.ErrTooMany, prizes.ErrWrongCode, idempotency.ErrInvalidKey,
			idempotency.ErrKeyReused, apperr.ErrStore, tickets.ErrNotFound, idempotency.ErrUnknownOutcome, months.ErrArchived,
		},
		"settle-prize-difference": {
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound,
			prizes.ErrDisputed, prizes.ErrNotPaid, prizes.ErrNotVerified, idempotency.ErrKeyReused, apperr.ErrStore,
			tickets.ErrNotFound, idempotency.ErrUnknownOutcome, months.ErrArchived,
		},
		"sum-prizes": {months.ErrArchived, months.ErrPeriodArchived},
		"write-off-prize-difference": {
			ledger.ErrInsufficientBalance, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound,
			prizes.ErrNoteMissing, prizes.ErrOperatorOnly,
			prizes.ErrTextTooLong, idempotency.ErrKeyReused, apperr.ErrStore, tickets.ErrNotFound,
		},
	}
}
