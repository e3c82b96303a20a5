// Package system has the operations on the process itself.
package system

import "banca/api/kit"

type operations struct {
	*kit.Registry

	checks []Check
}

// Register adds the operations.
func Register(r *kit.Registry, checks []Check) {
	o := &operations{Registry: r, checks: checks}
	o.registerHealth()
}
