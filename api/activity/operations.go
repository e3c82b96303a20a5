// Package activity has the operations on the activity log.
package activity

import (
	"banca/api/kit"
	"banca/internal/activity"
	"banca/internal/org"
)

type operations struct {
	*kit.Registry

	log      *activity.Service
	entities *org.Service
}

// Register adds the operations.
func Register(r *kit.Registry, log *activity.Service, entities *org.Service) {
	o := &operations{Registry: r, log: log, entities: entities}
	o.registerActivity()
}
