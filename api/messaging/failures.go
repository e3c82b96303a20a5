package messaging

import (
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
)

// failures lists the errors of the operations.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"list-messages":  {org.ErrEntityNotFound},
		"get-message":    {messaging.ErrNotFound},
		"resend-message": {messaging.ErrNotFound, messaging.ErrNotResendable},
		"create-resend": {
			messaging.ErrNotBulk, messaging.ErrNothing, messaging.ErrResendNotFound, org.ErrEntityNotFound, idempotency.ErrInvalidKey, idempotency.ErrKeyReused, idempotency.ErrUnknownOutcome,
		},
		"estimate-resend":    {messaging.ErrNotBulk, org.ErrEntityNotFound},
		"get-resend":         {messaging.ErrResendNotFound},
		"create-connection":  {connections.ErrUnknownDriver, connections.ErrParameters, connections.ErrNoKeys, connections.ErrExists, connections.ErrNotFound, org.ErrEntityNotFound},
		"get-connection":     {connections.ErrNotFound},
		"get-connection-qr":  {connections.ErrNotFound, connections.ErrNoQR},
		"connect-connection": {connections.ErrNotFound, connections.ErrUnreadable},
		"refresh-connection": {connections.ErrNotFound, connections.ErrUnreadable},
		"update-connection":  {connections.ErrNotFound, connections.ErrUnknownDriver, connections.ErrParameters, connections.ErrNoKeys, connections.ErrUnreadable},
		"test-connection": {
			connections.ErrNotFound, messaging.ErrInvalidRecipient, org.ErrEntityNotFound, idempotency.ErrInvalidKey, idempotency.ErrKeyReused, idempotency.ErrUnknownOutcome,
		},
		"log-out-connection":  {connections.ErrNotFound, connections.ErrUnreadable, connections.ErrNotLinked, connections.ErrProvider},
		"delete-connection":   {connections.ErrNotFound, connections.ErrUnreadable, connections.ErrProvider},
		"list-templates":      {org.ErrEntityNotFound},
		"get-template":        {templates.ErrNotFound, org.ErrEntityNotFound},
		"put-template":        {templates.ErrNotFound, templates.ErrInvalid, templates.ErrChanged, org.ErrEntityNotFound},
		"inherit-template":    {templates.ErrNotFound, templates.ErrNotOwn, templates.ErrChanged, org.ErrEntityNotFound},
		"preview-template":    {templates.ErrNotFound, org.ErrEntityNotFound},
		"challenge-messaging": {connections.ErrNotFound, connections.ErrUnreadable, connections.ErrSignature, connections.ErrTooManyRefused},
		"report-messaging":    {connections.ErrNotFound, connections.ErrUnreadable, connections.ErrSignature, connections.ErrWebhook, connections.ErrTooManyRefused},
	}
}
