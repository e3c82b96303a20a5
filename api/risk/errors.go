package risk

import (
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// drawErrors returns the errors of reading a draw in a currency, and errs.
func drawErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound,
		money.ErrAmount, org.ErrEntityNotFound)
}
