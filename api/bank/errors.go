package bank

import (
	"banca/internal/bank"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/phone"
)

// resolveErrors returns the errors of resolving a payment, and errs.
func resolveErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, apperr.ErrStore, bank.ErrOperatorOnly, bank.ErrPaymentNotFound, bank.ErrResolved,
		ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet, phone.ErrInvalid)
}
