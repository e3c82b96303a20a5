// Package prizes has the operations on prizes and their differences.
package prizes

import (
	"banca/api/kit"
	"banca/internal/prizes"
)

type operations struct {
	*kit.Registry

	prizes *prizes.Service
}

// Register adds the operations.
func Register(r *kit.Registry, prizes *prizes.Service) {
	o := &operations{Registry: r, prizes: prizes}
	o.registerPrizes()
	o.registerPrizeDifferences()
}
