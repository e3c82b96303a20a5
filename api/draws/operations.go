// Package draws has the operations on draws and results.
package draws

import (
	"banca/api/kit"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/org"
)

type operations struct {
	*kit.Registry

	draws    *draws.Service
	catalog  *catalog.Service
	entities *org.Service
	books    *ledger.Service
	public   *public
}

// Register adds the operations.
func Register(r *kit.Registry, draws *draws.Service, catalog *catalog.Service, entities *org.Service, books *ledger.Service) {
	o := &operations{Registry: r, draws: draws, catalog: catalog, entities: entities, books: books}
	o.registerList()
	o.registerDraws()
	o.registerResults()
	var err error
	if o.public, err = newPublic(); err != nil {
		r.Fail(err)
		return
	}
	o.registerPublic()
}
