package tickets

import "banca/internal/platform/apperr"

// ErrNotFound means that no ticket is stored under an id or a code, or that it is outside the caller's scope.
var ErrNotFound = apperr.New(apperr.NotFound, "TICKET_NOT_FOUND", "no such ticket")
