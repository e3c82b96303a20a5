package risk

import (
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/internal/sales"
)

// failures lists the errors of the operations on limits and exposure.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"block-element": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
			risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrReasonMissing, risk.ErrUnavailable, risk.ErrUnknownElement,
		},
		"change-limit": {money.ErrNegative, risk.ErrInvalidLimit, risk.ErrLimitExists, risk.ErrLimitNotFound,
			risk.ErrSetAbove, risk.ErrUnavailable},
		"create-limit": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
			risk.ErrInvalidLimit, risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove, risk.ErrUnavailable,
		},
		"delete-limit": {risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove, risk.ErrUnavailable},
		"get-exposure": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
		},
		"get-limit": {risk.ErrLimitNotFound},
		"list-available": {
			catalog.ErrDrawNotFound, catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, money.ErrAmount, org.ErrEntityNotFound,
			risk.ErrUnavailable, sales.ErrInvalidTicket,
		},
		"unblock-element": {risk.ErrLimitExists, risk.ErrLimitNotFound, risk.ErrSetAbove, risk.ErrUnavailable},
	}
}
