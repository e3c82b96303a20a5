package catalog

import "banca/internal/apperr"

// Errors of the domain.
var (
	ErrGameNotFound = apperr.New(apperr.NotFound, "GAME_NOT_FOUND", "no such game")
	ErrDrawNotFound = apperr.New(apperr.NotFound, "DRAW_NOT_FOUND", "no such draw")
)
