// Package org has the operations on entities and their documents.
package org

import (
	"banca/api/kit"
	"banca/internal/org"
	"banca/internal/setup/imports"
)

type operations struct {
	*kit.Registry

	entities *org.Service
	imports  *imports.Service
}

// Register adds the operations.
func Register(r *kit.Registry, entities *org.Service, files *imports.Service) {
	o := &operations{Registry: r, entities: entities, imports: files}
	o.registerEntities()
	o.registerDocuments()
	o.registerImports()
}
