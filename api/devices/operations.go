// Package devices has the operations on devices of entities and on their sessions.
package devices

import (
	"banca/api/kit"
	"banca/internal/devices"
)

type operations struct {
	*kit.Registry

	devices *devices.Service
}

// Register adds the operations.
func Register(r *kit.Registry, devices *devices.Service) {
	o := &operations{Registry: r, devices: devices}
	o.registerDevices()
}
