package exports

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrNotFound      = apperr.New(apperr.NotFound, "EXPORT_UNKNOWN", "you have no such export")
	ErrReportUnknown = apperr.New(apperr.Invalid, "EXPORT_REPORT", "there is no such report to export")
	ErrFilter        = apperr.New(apperr.Invalid, "EXPORT_FILTER", "fields of the filter are missing, or the report does not have them")
	ErrLimit         = apperr.New(apperr.Conflict, "EXPORT_LIMIT", "you have too many exports that are not finished; wait for one of them")
	ErrNotReady      = apperr.New(apperr.Conflict, "EXPORT_NOT_READY", "the file is not ready, or its time is over; create the export again")

	// ErrFailed is the error of an export whose attempts are used up.
	ErrFailed = apperr.New(apperr.Internal, "EXPORT_FAILED", "the file could not be written")
)
