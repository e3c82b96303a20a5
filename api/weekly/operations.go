// Package weekly has the operations on weekly settlements and the report of participations.
package weekly

import (
	"banca/api/kit"
	"banca/internal/weekly"
)

type operations struct {
	*kit.Registry

	weekly *weekly.Service
}

// Register adds the operations.
func Register(r *kit.Registry, service *weekly.Service) {
	o := &operations{Registry: r, weekly: service}
	o.registerReads()
	o.registerWrites()
	o.registerPayments()
	o.registerDistribution()
}
