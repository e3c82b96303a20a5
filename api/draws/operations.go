// Package draws has the operations on draws and results.
package draws

import (
	"context"

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
	logo     func(context.Context) ([]byte, error) // of the operator, a PNG
}

// Register adds the operations.
func Register(r *kit.Registry, draws *draws.Service, catalog *catalog.Service, entities *org.Service, books *ledger.Service,
	logo func(context.Context) ([]byte, error),
) {
	o := &operations{Registry: r, draws: draws, catalog: catalog, entities: entities, books: books, logo: logo}
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
