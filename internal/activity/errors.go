package activity

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrNotFound = apperr.New(apperr.NotFound, "LOG_NOT_FOUND", "no such entry in your part of the organisation")
	ErrRemoved  = apperr.New(apperr.Conflict, "LOG_REMOVED", "the entry was removed")
	ErrInvalid  = apperr.New(apperr.Invalid, "INVALID_LOG", "fields of the entry are missing or invalid")
)
