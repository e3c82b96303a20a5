package sheet

import "banca/internal/platform/apperr"

// ErrTooLarge refuses a file that cannot hold everything.
var ErrTooLarge = apperr.New(apperr.Invalid, "EXPORT_TOO_LARGE", "the file would have more rows than it may (100,000; 1,000,000 as an export), or a text longer than a spreadsheet holds; choose fewer days or another filter")
