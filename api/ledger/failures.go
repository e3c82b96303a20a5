package ledger

import (
	"banca/internal/apperr"
	"banca/internal/ledger"
)

// failures lists the errors of the operations on money.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"get-wallet":               {ledger.ErrWalletUnknown},
		"list-wallet-transactions": {ledger.ErrInvalidCursor, ledger.ErrWalletUnknown},
	}
}
