package ledger

import (
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
)

// failures lists the errors of the operations on money.
func failures() map[string][]*apperr.Error {
	target := []*apperr.Error{ledger.ErrWalletUnknown, ledger.ErrNotAbove, ledger.ErrWalletKind, ledger.ErrCurrencyNotFound, ledger.ErrMovementInvalid}
	moved := append([]*apperr.Error{
		ledger.ErrWalletInactive, ledger.ErrNoWallet, ledger.ErrInsufficientBalance, idempotency.ErrInvalidKey, idempotency.ErrKeyReused, idempotency.ErrUnknownOutcome,
	}, target...)
	requested := append([]*apperr.Error{ledger.ErrCurrencyMismatch, ledger.ErrReferenceUsed, money.ErrAmount}, moved...)
	return map[string][]*apperr.Error{
		"get-wallet":               {ledger.ErrWalletUnknown, ledger.ErrFutureInstant, months.ErrPeriodArchived},
		"list-wallets":             {ledger.ErrCurrencyNotFound, ledger.ErrFutureInstant, months.ErrPeriodArchived},
		"get-currency":             {ledger.ErrCurrencyUnknown},
		"create-currency":          {ledger.ErrCurrencyInvalid, ledger.ErrCurrencyExists},
		"update-currency":          {ledger.ErrCurrencyInvalid, ledger.ErrCurrencyExists, ledger.ErrCurrencyUnknown, ledger.ErrCurrencyUsed},
		"delete-currency":          {ledger.ErrCurrencyUnknown, ledger.ErrCurrencyUsed},
		"list-rates":               {ledger.ErrCurrencyUnknown, ledger.ErrCurrencyNotFound},
		"set-rate":                 {ledger.ErrCurrencyUnknown, ledger.ErrCurrencyNotFound, ledger.ErrRateInvalid, ledger.ErrRateFixed},
		"delete-rate":              {ledger.ErrCurrencyUnknown, ledger.ErrCurrencyNotFound, ledger.ErrRateInvalid, ledger.ErrRateUnknown},
		"list-rate-fetches":        {ledger.ErrCurrencyUnknown},
		"fetch-rates":              {ledger.ErrCurrencyUnknown, ledger.ErrNoRateSource},
		"list-wallet-transactions": {ledger.ErrInvalidCursor, ledger.ErrWalletUnknown, months.ErrPeriodArchived},
		"deposit":                  requested,
		"withdraw":                 requested,
		"transfer":                 append([]*apperr.Error{ledger.ErrNoParent}, requested...),
		"reverse-movement":         append([]*apperr.Error{ledger.ErrMovementUnknown, ledger.ErrNotReversible, ledger.ErrReversed, months.ErrArchived}, moved...),
		"get-movement":             {ledger.ErrMovementUnknown},
		"set-credit-limit":         append([]*apperr.Error{ledger.ErrCurrencyMismatch, money.ErrNegative}, target...),
		"list-credit-limits":       {ledger.ErrWalletUnknown},
	}
}
