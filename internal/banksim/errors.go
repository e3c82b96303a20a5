package banksim

import (
	"errors"

	"banca/internal/apperr"
)

// ErrRun refuses a run before anything was sent. Its details name target, phase, scenario, token or
// fields.<name>.
var ErrRun = apperr.New(apperr.Invalid, "INVALID_BANK_SIMULATION", "the bank event cannot be sent as given")

// errAddress refuses an address when it is dialled.
var errAddress = errors.New("banksim: the target resolves to an address that is not allowed")
