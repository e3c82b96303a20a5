// Package closes has the operations on daily closes.
package closes

import (
	"banca/api/kit"
	"banca/internal/closes"
)

type operations struct {
	*kit.Registry

	closes *closes.Service
}

// Register adds the operations.
func Register(r *kit.Registry, closes *closes.Service) {
	o := &operations{Registry: r, closes: closes}
	o.registerReads()
	o.registerWrites()
	o.registerHandovers()
	o.registerBalance()
}
