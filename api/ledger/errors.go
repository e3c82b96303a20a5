package ledger

import (
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
)

// targetErrors adds the errors of a change of a wallet.
func targetErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, ledger.ErrWalletUnknown, ledger.ErrNotAbove, ledger.ErrWalletKind, ledger.ErrCurrencyNotFound,
		ledger.ErrMovementInvalid)
}

// movedErrors adds the errors of a movement.
func movedErrors(errs ...*apperr.Error) []*apperr.Error {
	return targetErrors(append(errs, ledger.ErrWalletInactive, ledger.ErrNoWallet, ledger.ErrInsufficientBalance,
		idempotency.ErrUnknownOutcome)...)
}

// requestedErrors adds the errors of a movement of a given amount.
func requestedErrors(errs ...*apperr.Error) []*apperr.Error {
	return movedErrors(append(errs, ledger.ErrCurrencyMismatch, ledger.ErrReferenceUsed, money.ErrAmount)...)
}
