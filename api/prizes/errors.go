package prizes

import (
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/months"
	"banca/internal/tickets"
)

// paymentErrors returns the errors of a payment or reversal of a prize, and errs.
func paymentErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, apperr.ErrStore, idempotency.ErrKeyReused, idempotency.ErrUnknownOutcome,
		ledger.ErrInsufficientBalance, ledger.ErrNoWallet, months.ErrArchived, tickets.ErrNotFound)
}
