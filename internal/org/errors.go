package org

import "banca/internal/apperr"

// Errors of the domain.
var (
	ErrEntityNotFound = apperr.New(apperr.NotFound, "ENTITY_NOT_FOUND", "no such entity in your part of the organisation")
	ErrCannotSell     = apperr.New(apperr.Forbidden, "ENTITY_CANNOT_SELL", "the entity or one above it is not active")
)
