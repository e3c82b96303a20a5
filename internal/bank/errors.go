package bank

import (
	"time"

	"banca/internal/platform/apperr"
)

// Errors of the domain. Errors of the bank's calls are shown in events and logs, never in an answer to the bank.
var (
	ErrMalformed = apperr.New(apperr.Malformed, "MALFORMED_BODY", "the body must be one JSON object, each key once")
	ErrField     = apperr.New(apperr.Malformed, "INVALID_FIELD", "a field is missing or invalid")
	ErrBusy      = apperr.New(apperr.Unavailable, "BUSY", "too many notifications are waiting").WithRetryAfter(time.Second)

	ErrOperatorOnly    = apperr.New(apperr.Forbidden, "OPERATOR_ONLY", "only users of the operator may use the bank's operations")
	ErrEventNotFound   = apperr.New(apperr.NotFound, "EVENT_NOT_FOUND", "no such event")
	ErrPaymentNotFound = apperr.New(apperr.NotFound, "PAYMENT_NOT_FOUND", "no such payment")
	ErrResolved        = apperr.New(apperr.Conflict, "PAYMENT_RESOLVED", "the payment is credited, assigned or refunded already")

	ErrRequestNotFound = apperr.New(apperr.NotFound, "PAYMENT_REQUEST_NOT_FOUND", "no such payment request")
	ErrRequestClosed   = apperr.New(apperr.Conflict, "PAYMENT_REQUEST_CLOSED", "the payment request is no longer open")
	ErrRequestHeld     = apperr.New(apperr.Conflict, "PAYMENT_REQUEST_HELD", "the payment request is held for the bank; wait until the hold ends")
	ErrInvalidRequest  = apperr.New(apperr.Invalid, "INVALID_PAYMENT_REQUEST", "the payment request is invalid")
	ErrNoTarget        = apperr.New(apperr.Invalid, "NO_TARGET", "name an entity or an open payment request of the same amount")

	ErrBankNotFound = apperr.New(apperr.NotFound, "BANK_NOT_FOUND", "no such bank")
	ErrBankExists   = apperr.New(apperr.Conflict, "BANK_EXISTS", "a bank with this code exists")
	ErrBankInUse    = apperr.New(apperr.Conflict, "BANK_IN_USE", "payments or payment requests refer to this bank; retire it instead")
	ErrCodeNotFound = apperr.New(apperr.NotFound, "NETWORK_CODE_NOT_FOUND", "no such network code")
	ErrCodeExists   = apperr.New(apperr.Conflict, "NETWORK_CODE_EXISTS", "a network code with this value exists")
	ErrCodeFixed    = apperr.New(apperr.Conflict, "NETWORK_CODE_FIXED", "00 is the code of approval and cannot be changed")
	ErrInvalidEntry = apperr.New(apperr.Invalid, "INVALID_ENTRY", "a code or name is missing or invalid")

	ErrStatementNotFound = apperr.New(apperr.NotFound, "STATEMENT_NOT_FOUND", "no such statement")
	ErrStatementKnown    = apperr.New(apperr.Conflict, "STATEMENT_KNOWN", "this statement was imported already")
	ErrStatement         = apperr.New(apperr.Invalid, "INVALID_STATEMENT", "the statement cannot be read")
)
