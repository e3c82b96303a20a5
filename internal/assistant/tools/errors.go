package tools

import "banca/internal/apperr"

// Refusals of tools, which a model reads and may correct.
var (
	errDate   = apperr.New(apperr.Invalid, "TOOL_DATE", "the date is not understood; pass the words of the user, such as ayer, el lunes pasado, del 1 al 15, 2026-11-22")
	errBranch = apperr.New(apperr.NotFound, "TOOL_BRANCH", "there is no such branch in the user's part of the organisation")
	errGame   = apperr.New(apperr.NotFound, "TOOL_GAME", "there is no such game")
	errDraw   = apperr.New(apperr.NotFound, "TOOL_DRAW", "there is no such draw on that day")
)
