package weekly

import (
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/receipts"
	"banca/internal/weekly"
)

// failures lists the errors of the operations on weekly settlements.
func failures() map[string][]*apperr.Error {
	once := []*apperr.Error{idempotency.ErrInvalidKey, idempotency.ErrKeyReused, weekly.ErrNotFound}
	return map[string][]*apperr.Error{
		"list-weekly-settlements":       {ledger.ErrCurrencyNotFound, weekly.ErrRange, weekly.ErrStatusRange, weekly.ErrWeek},
		"get-weekly-settlement":         {weekly.ErrNotFound},
		"get-weekly-settlement-receipt": {receipts.ErrTooLarge, receipts.ErrFormat, weekly.ErrNotFound},
		"confirm-weekly-settlement": append([]*apperr.Error{
			ledger.ErrInsufficientBalance, weekly.ErrConfirmed, weekly.ErrEarlierDraft,
		}, once...),
		"confirm-week": {ledger.ErrCurrencyNotFound, weekly.ErrWeek},
		"draft-week": {
			ledger.ErrCurrencyNotFound, weekly.ErrConfirmed, weekly.ErrNotNewest, weekly.ErrUndrafted, weekly.ErrWeek, weekly.ErrWeekNotOver,
		},
		"pay-weekly-settlement": append([]*apperr.Error{
			ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrMovementInvalid, ledger.ErrReferenceUsed, ledger.ErrWalletInactive, money.ErrAmount,
			weekly.ErrCarried, weekly.ErrLinked, weekly.ErrNoPayment, weekly.ErrNotAbove, weekly.ErrNothingDue, weekly.ErrOutstanding, weekly.ErrUnconfirmed, weekly.ErrUndrafted,
		}, once...),
		"unlink-weekly-payment": append([]*apperr.Error{weekly.ErrNotAbove, weekly.ErrNotLinked}, once...),
		"report-participation":  {ledger.ErrCurrencyNotFound, org.ErrEntityNotFound, weekly.ErrRange},
	}
}
