// Package catalog has the operations on categories, games, their elements and the plans of their draws.
package catalog

import (
	"banca/api/kit"
	"banca/internal/catalog"
)

type operations struct {
	*kit.Registry

	catalog *catalog.Service
}

// Register adds the operations.
func Register(r *kit.Registry, catalog *catalog.Service) {
	o := &operations{Registry: r, catalog: catalog}
	o.registerCatalog()
	o.registerCategories()
	o.registerGames()
	o.registerElements()
	o.registerDrawPlans()
}
