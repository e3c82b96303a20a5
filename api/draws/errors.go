package draws

import (
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/months"
)

// decideErrors returns the errors of deciding a draw, and errs.
func decideErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrNotClosed, draws.ErrNotHeld,
		draws.ErrResultNotFound, draws.ErrSealBroken, draws.ErrSuspended, ledger.ErrCurrencyNotFound,
		months.ErrArchived)
}
