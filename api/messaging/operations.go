// Package messaging has the operations on messages, resends and connections to providers, and the webhooks of providers.
package messaging

import (
	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/templates"
	"banca/internal/notices"
)

type operations struct {
	*kit.Registry

	messages    *messaging.Service
	connections *connections.Service
	templates   *templates.Service
	notices     *notices.Service
}

// Services are what the operations call.
type Services struct {
	Messages    *messaging.Service
	Connections *connections.Service
	Templates   *templates.Service
	Notices     *notices.Service
}

// Register adds the operations.
func Register(r *kit.Registry, s Services) {
	o := &operations{Registry: r, messages: s.Messages, connections: s.Connections, templates: s.Templates, notices: s.Notices}
	o.registerLogs()
	o.registerResends()
	o.registerConnections()
	o.registerTemplates()
	o.registerWebhooks()
}

func tagged(op huma.Operation) huma.Operation {
	op.Tags = []string{"Messages"}
	return op
}
