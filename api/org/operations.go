// Package org has the operations on entities and their documents.
package org

import (
	"banca/api/kit"
	"banca/internal/org"
)

type operations struct {
	*kit.Registry

	entities *org.Service
}

// Register adds the operations.
func Register(r *kit.Registry, entities *org.Service) {
	o := &operations{Registry: r, entities: entities}
	o.registerEntities()
	o.registerDocuments()
}
