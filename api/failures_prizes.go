package api

import (
	"banca/internal/apperr"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/prizes"
	"banca/internal/sales"
)

// prizesFailures lists the errors of the operations on prizes.
func prizesFailures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"cancel-prize": {
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrNotPaid, prizes.ErrTextTooLong, sales.ErrInvalidKey,
			sales.ErrKeyReused, sales.ErrStore, sales.ErrTicketNotFound, sales.ErrUnknownOutcome,
		},
		"get-prize": {catalog.ErrGameNotFound, sales.ErrTicketNotFound},
		"pay-prize": {
			ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrAlreadyPaid,
			prizes.ErrAttempts, prizes.ErrCancelled, prizes.ErrCollected, prizes.ErrDisputed, prizes.ErrExpired,
			prizes.ErrNotVerified, prizes.ErrNotWon, prizes.ErrTooMany, prizes.ErrWrongCode, sales.ErrInvalidKey,
			sales.ErrKeyReused, sales.ErrStore, sales.ErrTicketNotFound, sales.ErrUnknownOutcome,
		},
		"settle-prize-difference": {
			ledger.ErrInsufficientBalance, ledger.ErrNoWallet, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound,
			prizes.ErrDisputed, prizes.ErrNotPaid, prizes.ErrNotVerified, sales.ErrKeyReused, sales.ErrStore,
			sales.ErrTicketNotFound, sales.ErrUnknownOutcome,
		},
		"write-off-prize-difference": {
			ledger.ErrInsufficientBalance, prizes.ErrDifferenceClosed, prizes.ErrDifferenceNotFound, prizes.ErrNoteMissing,
			prizes.ErrTextTooLong, sales.ErrKeyReused, sales.ErrStore, sales.ErrTicketNotFound,
		},
	}
}
