package draws

import (
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
)

// failures lists the errors of the operations on draws and results.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"get-draw":   {catalog.ErrDrawNotFound, money.ErrAmount, org.ErrEntityNotFound},
		"list-draws": {money.ErrAmount, org.ErrEntityNotFound},
		"accept-draw-seal": {
			draws.ErrDrawNotFound, draws.ErrReasonMissing, draws.ErrSamePerson, draws.ErrSealHolds, draws.ErrSealBroken, draws.ErrSuspended,
			draws.ErrResultNotFound, draws.ErrNotClosed, draws.ErrNoResult,
		},
		"acknowledge-draw-alert": {draws.ErrAlertNotFound},
		"correct-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrInvalidOutcome, draws.ErrNoResult, draws.ErrNotClosed,
			draws.ErrNotHeld, draws.ErrReasonMissing, draws.ErrResultNotFound, draws.ErrResultPending, draws.ErrResultUnchanged,
			draws.ErrSealBroken, draws.ErrSuspended, ledger.ErrCurrencyNotFound, months.ErrArchived,
		},
		"enter-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrInvalidOutcome, draws.ErrNotClosed, draws.ErrNotHeld,
			draws.ErrResultExists, draws.ErrResultNotFound, draws.ErrResultPending, draws.ErrSuspended,
		},
		"get-result": {draws.ErrResultNotFound},
		"preview-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrNotClosed, draws.ErrNotHeld, draws.ErrResultClosed,
			draws.ErrResultExists, draws.ErrResultMismatch, draws.ErrResultNotFound, draws.ErrSamePerson, draws.ErrSealBroken,
			draws.ErrSuspended, ledger.ErrCurrencyNotFound, months.ErrArchived,
		},
		"reject-result": {draws.ErrDrawNotFound, draws.ErrReasonMissing, draws.ErrResultClosed, draws.ErrResultNotFound},
		"suspend-draw": {
			catalog.ErrDrawNotFound, draws.ErrCannotSuspend, draws.ErrDrawNotFound, draws.ErrReasonMissing, money.ErrAmount,
			org.ErrEntityNotFound,
		},
		"verify-result": {
			catalog.ErrGameNotFound, draws.ErrDrawNotFound, draws.ErrNotClosed, draws.ErrNotHeld, draws.ErrResultClosed,
			draws.ErrResultExists, draws.ErrResultMismatch, draws.ErrResultNotFound, draws.ErrSamePerson, draws.ErrSealBroken,
			draws.ErrSuspended, ledger.ErrCurrencyNotFound, months.ErrArchived,
		},
	}
}
