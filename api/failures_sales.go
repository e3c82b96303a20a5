package api

import (
	"banca/internal/apperr"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/org"
	"banca/internal/phone"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
)

// salesFailures lists the errors of the operations on tickets.
func salesFailures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"cancel-ticket": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet,
			money.ErrAmount, org.ErrEntityNotFound, risk.ErrUnavailable, sales.ErrCancelTooLate, sales.ErrDrawsStopped,
			sales.ErrInvalidKey, sales.ErrKeyReused, sales.ErrNotCancellable, sales.ErrStore, sales.ErrTicketNotFound,
			sales.ErrTooManyCancels, sales.ErrUnknownOutcome,
		},
		"get-receipt": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound, receipts.ErrQR,
			receipts.ErrTooLarge, sales.ErrReceiptFormat, sales.ErrTicketNotFound,
		},
		"get-ticket": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound, sales.ErrTicketNotFound,
		},
		"list-tickets": {catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound},
		"sell-ticket": {
			sales.ErrStaleRules,
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance,
			ledger.ErrNoWallet, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound, phone.ErrInvalid, risk.ErrDrawClosed,
			risk.ErrLimitExceeded, risk.ErrUnavailable, sales.ErrBusy, sales.ErrCustomerNotFound, sales.ErrDrawsStopped,
			sales.ErrInvalidCustomer, sales.ErrInvalidKey, sales.ErrInvalidTicket, sales.ErrKeyReused, sales.ErrNoLines,
			sales.ErrNotTicketPoint, sales.ErrStore, sales.ErrTicketNotFound, sales.ErrTooManyLines, sales.ErrUnknownOutcome,
		},
		"ticket-status": {sales.ErrTicketNotFound},
	}
}
