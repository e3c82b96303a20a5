// Package system has the operations on the platform itself: its health and its changes.
package system

import (
	"banca/api/kit"
	"banca/internal/platform/health"
	"banca/internal/platform/requestlog"
)

// Services are what the operations show.
type Services struct {
	Health    *health.Monitor
	Changelog string // Markdown
	Requests  *requestlog.Log
}

type operations struct {
	*kit.Registry
	Services
}

// Register adds the operations.
func Register(r *kit.Registry, s Services) {
	o := &operations{Registry: r, Services: s}
	o.registerHealth()
	o.registerDashboard()
	o.registerChangelog()
	o.registerRequests()
}
