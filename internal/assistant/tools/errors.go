package tools

import "banca/internal/assistant"

// Refusals of arguments.
const (
	errDate   assistant.ToolError = "the date is not understood; pass the words of the user, such as ayer, el lunes pasado, del 1 al 15, 2026-11-22"
	errTime   assistant.ToolError = "the time is not understood; pass a time of day such as 7pm, 19:00 or 12 m"
	errBranch assistant.ToolError = "there is no such branch in the user's part of the organisation"
	errGame   assistant.ToolError = "there is no such game"
	errDraw   assistant.ToolError = "there is no such draw on these days"
)
