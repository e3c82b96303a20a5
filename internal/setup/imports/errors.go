package imports

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrColumns = apperr.New(apperr.Invalid, "IMPORT_COLUMNS", "the first line must have the names of the columns, code and name at least, each once")
	ErrEmpty   = apperr.New(apperr.Invalid, "IMPORT_EMPTY", "the file has no line below the names of the columns")
	ErrRefused = apperr.New(apperr.Invalid, "IMPORT_REFUSED", "lines of the file have problems; nothing was written")
)

// maxDetails bounds the problems that ErrRefused names.
const maxDetails = 100
