package templates

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrNotFound = apperr.New(apperr.NotFound, "TEMPLATE_NOT_FOUND", "there is no such purpose or language of messages")
	ErrInvalid  = apperr.New(apperr.Invalid, "TEMPLATE_INVALID", "the text of the message cannot be used")
	ErrChanged  = apperr.New(apperr.Conflict, "TEMPLATE_CHANGED", "the text was changed meanwhile; read it again")
	ErrNotOwn   = apperr.New(apperr.Conflict, "TEMPLATE_INHERITED", "the entity has no text of its own")
)
