package customers

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrNotFound       = apperr.New(apperr.NotFound, "CUSTOMER_UNKNOWN", "no such customer in your part of the organisation")
	ErrInvalid        = apperr.New(apperr.Invalid, "CUSTOMER_INVALID", "fields of the customer are missing or invalid")
	ErrExists         = apperr.New(apperr.Conflict, "CUSTOMER_EXISTS", "the entity has a customer with this telephone number")
	ErrMerge          = apperr.New(apperr.Conflict, "CUSTOMER_MERGE", "two different customers of one entity can be merged")
	ErrEntityNotFound = apperr.New(apperr.NotFound, "ENTITY_NOT_FOUND", "no such entity in your part of the organisation")
	ErrNotTicketPoint = apperr.New(apperr.Invalid, "CUSTOMER_ENTITY", "only ticket points have customers")
)
