package banksim

import "banca/internal/platform/apperr"

// ErrRun refuses a run before anything was sent. Its details name target, phase, scenario, token or
// fields.<name>.
var ErrRun = apperr.New(apperr.Invalid, "INVALID_BANK_SIMULATION", "the bank event cannot be sent as given")
