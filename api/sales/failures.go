package sales

import (
	"banca/internal/catalog"
	"banca/internal/customers"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/internal/platform/phone"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/tickets"
)

// failures lists the errors of the operations on tickets.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"cancel-ticket": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance, ledger.ErrNoWallet,
			money.ErrAmount, org.ErrEntityNotFound, risk.ErrUnavailable, sales.ErrCancelTooLate, sales.ErrDrawsStopped,
			idempotency.ErrInvalidKey, idempotency.ErrKeyReused, sales.ErrNotCancellable, apperr.ErrStore, tickets.ErrNotFound,
			sales.ErrTooManyCancels, idempotency.ErrUnknownOutcome,
		},
		"get-receipt": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound, receipts.ErrQR,
			receipts.ErrTooLarge, receipts.ErrFormat, tickets.ErrNotFound,
		},
		"get-sales-catalogue": {ledger.ErrCurrencyNotFound, org.ErrCannotSell, org.ErrEntityNotFound, sales.ErrNotTicketPoint},
		"get-sales-quota":     {ledger.ErrCurrencyNotFound, org.ErrCannotSell, org.ErrEntityNotFound, sales.ErrNotTicketPoint},
		"get-ticket": {
			catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound, tickets.ErrNotFound,
		},
		"list-tickets":          {catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, months.ErrPeriodArchived},
		"list-customer-tickets": {customers.ErrNotFound},
		"sell-ticket": {
			sales.ErrStaleRules,
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, ledger.ErrInsufficientBalance,
			ledger.ErrNoWallet, money.ErrAmount, org.ErrCannotSell, org.ErrEntityNotFound, phone.ErrInvalid, risk.ErrDrawClosed,
			risk.ErrLimitExceeded, risk.ErrUnavailable, sales.ErrBusy, sales.ErrCustomerNotFound, sales.ErrDrawsStopped,
			sales.ErrInvalidCustomer, idempotency.ErrInvalidKey, sales.ErrInvalidTicket, idempotency.ErrKeyReused, sales.ErrNoLines,
			sales.ErrNotTicketPoint, apperr.ErrStore, tickets.ErrNotFound, sales.ErrTooManyLines, idempotency.ErrUnknownOutcome,
		},
		"ticket-status": {tickets.ErrNotFound},
	}
}
