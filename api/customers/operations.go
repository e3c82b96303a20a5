// Package customers has the operations on customers of ticket points.
package customers

import (
	"banca/api/kit"
	"banca/internal/customers"
)

type operations struct {
	*kit.Registry

	customers *customers.Service
}

// Register adds the operations.
func Register(r *kit.Registry, customers *customers.Service) {
	o := &operations{Registry: r, customers: customers}
	o.registerCustomers()
}
