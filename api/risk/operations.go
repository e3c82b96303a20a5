// Package risk has the operations on limits, blocked elements and exposure.
package risk

import (
	"banca/api/kit"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/internal/sales"
)

type operations struct {
	*kit.Registry

	limits   *risk.Keeper
	sales    *sales.Service
	exposure *exposure.Service
}

// Register adds the operations.
func Register(r *kit.Registry, limits *risk.Keeper, sales *sales.Service, exposure *exposure.Service) {
	o := &operations{Registry: r, limits: limits, sales: sales, exposure: exposure}
	o.registerRisk()
	o.registerRiskLimits()
	o.registerExposure()
}
