package reports

import "banca/internal/platform/apperr"

// Errors of reports.
var (
	ErrPeriodReversed = apperr.New(apperr.Invalid, "PERIOD_REVERSED", "the last day of the period is before its first day")
	ErrPeriodTooLong  = apperr.New(apperr.Invalid, "PERIOD_TOO_LONG", "a report covers at most 366 days")
	ErrNoGame         = apperr.New(apperr.Invalid, "GAME_REQUIRED", "totals by draw are of one game: name it by game_id")
)
