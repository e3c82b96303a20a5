package connections

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrNotFound       = apperr.New(apperr.NotFound, "CONNECTION_NOT_FOUND", "no such connection")
	ErrExists         = apperr.New(apperr.Conflict, "CONNECTION_EXISTS", "the entity has a connection already; delete it first")
	ErrUnknownDriver  = apperr.New(apperr.Invalid, "CONNECTION_DRIVER", "there is no such driver")
	ErrParameters     = apperr.New(apperr.Invalid, "CONNECTION_PARAMETERS", "parameters of the connection are missing or invalid")
	ErrNoKeys         = apperr.New(apperr.Conflict, "SECRETS_NOT_CONFIGURED", "the server has no key to keep credentials with: SECRET_KEYS is not set")
	ErrUnreadable     = apperr.New(apperr.Conflict, "CONNECTION_UNREADABLE", "the credentials of the connection cannot be read: a key is missing from SECRET_KEYS")
	ErrNotLinked      = apperr.New(apperr.Conflict, "CONNECTION_NOT_LINKABLE", "accounts of this driver are not linked to a telephone")
	ErrNoQR           = apperr.New(apperr.NotFound, "CONNECTION_NO_QR", "there is no QR code to scan now")
	ErrProvider       = apperr.New(apperr.Unavailable, "CONNECTION_PROVIDER", "the provider did not do it")
	ErrSignature      = apperr.New(apperr.Unauthenticated, "WEBHOOK_SIGNATURE", "the signature does not fit")
	ErrTooManyRefused = apperr.New(apperr.RateLimited, "TOO_MANY_REFUSED", "too many refused webhooks")
	ErrWebhook        = apperr.New(apperr.Invalid, "WEBHOOK_BODY", "the body is not of the provider's form")
)
