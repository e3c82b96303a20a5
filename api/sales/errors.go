package sales

import (
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/tickets"
)

// ticketErrors returns the errors of reading a ticket, and errs.
func ticketErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
		tickets.ErrNotFound)
}
