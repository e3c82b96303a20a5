// Package messaging has the operations on messages, resends and connections to providers, and the webhooks of providers.
package messaging

import (
	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
)

type operations struct {
	*kit.Registry

	messages    *messaging.Service
	connections *connections.Service
}

// Register adds the operations.
func Register(r *kit.Registry, messages *messaging.Service, service *connections.Service) {
	r.AddFailures(failures())
	o := &operations{Registry: r, messages: messages, connections: service}
	o.registerLogs()
	o.registerResends()
	o.registerConnections()
	o.registerWebhooks()
}

func tagged(op huma.Operation) huma.Operation {
	op.Tags = []string{"Messages"}
	return op
}
