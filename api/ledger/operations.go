// Package ledger has the operations on currencies and wallets.
package ledger

import (
	"banca/api/kit"
	"banca/internal/ledger"
)

type operations struct {
	*kit.Registry

	books *ledger.Service
}

// Register adds the operations.
func Register(r *kit.Registry, books *ledger.Service) {
	o := &operations{Registry: r, books: books}
	o.registerMoney()
	o.registerCurrencies()
	o.registerStatements()
	o.registerMovements()
	o.registerCredit()
}
