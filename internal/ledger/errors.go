package ledger

import "banca/internal/apperr"

// Errors of the domain.
var (
	ErrInsufficientBalance = apperr.New(apperr.Invalid, "INSUFFICIENT_BALANCE", "the wallet's balance and credit do not cover the amount")
	ErrCurrencyNotFound    = apperr.New(apperr.Invalid, "CURRENCY_NOT_FOUND", "no such active currency")
	ErrWalletUnknown       = apperr.New(apperr.NotFound, "WALLET_UNKNOWN", "no such wallet")
	ErrInvalidCursor       = apperr.New(apperr.Malformed, "INVALID_CURSOR", "the cursor is not one of this list")
	ErrNoWallet            = apperr.New(apperr.Invalid, "WALLET_NOT_FOUND", "the entity has no active wallet in this currency")
)
