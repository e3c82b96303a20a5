package sales

import (
	"time"

	"banca/internal/platform/apperr"
	"banca/internal/risk"
)

// Errors of the domain.
var (
	ErrInvalidTicket    = apperr.New(apperr.Invalid, "INVALID_TICKET", "the ticket has lines that cannot be sold")
	ErrNoLines          = apperr.New(apperr.Invalid, "NO_LINES", "a ticket needs at least one line")
	ErrTooManyLines     = apperr.New(apperr.Invalid, "TOO_MANY_LINES", "the ticket has more lines than allowed")
	ErrNotTicketPoint   = apperr.New(apperr.Forbidden, "ENTITY_CANNOT_SELL", "only ticket points sell tickets")
	ErrCustomerNotFound = apperr.New(apperr.Invalid, "CUSTOMER_NOT_FOUND", "no such customer of this entity")
	ErrInvalidCustomer  = apperr.New(apperr.Invalid, "INVALID_CUSTOMER", "a customer needs a name, a telephone number and, to pay by bank, a valid identity document")
	ErrPayments         = apperr.New(apperr.Invalid, "PAYMENTS_INVALID", "a payment of the ticket cannot be taken")
	ErrPaymentsDiffer   = apperr.New(apperr.Invalid, "PAYMENTS_DIFFER", "the payments less the change differ from the total")
	ErrNotArrived       = apperr.New(apperr.Conflict, "PAYMENT_NOT_ARRIVED", "the bank has not notified this payment; nothing was sold")
	ErrPaymentUnclear   = apperr.New(apperr.Conflict, "PAYMENT_UNCLEAR", "several payments of the bank end in these digits; give more of them")
	ErrManyReferences   = apperr.New(apperr.Conflict, "PAYMENT_REFERENCES", "the ticket point has named too many payments that the bank has not notified; nothing was sold")
	ErrPaymentUsed      = apperr.New(apperr.Conflict, "PAYMENT_USED", "the payment of the bank has paid another ticket")
	ErrNotCancellable   = apperr.New(apperr.Conflict, "TICKET_NOT_CANCELLABLE", "only a pending ticket can be cancelled")
	ErrCancelTooLate    = apperr.New(apperr.Conflict, "CANCEL_TOO_LATE", "the time to cancel this ticket is over")
	ErrDrawsStopped     = apperr.New(apperr.Conflict, "DRAW_CLOSED", "sales of one of the ticket's draws have stopped")
	ErrTooManyCancels   = apperr.New(apperr.Conflict, "CANCEL_LIMIT_REACHED", "the ticket point has reached its limit of cancellations for today")
	ErrBusy             = apperr.New(apperr.Unavailable, "BUSY", "too many sales are waiting, nothing was sold").WithRetryAfter(time.Second)

	// errRecounted is the cause when counts were rebuilt between a reservation and its commit.
	errRecounted = apperr.New(apperr.Unavailable, "COUNTERS_RECOUNTED", "the counters of the limits were rebuilt during the request")
	// ErrStaleRules is returned when a sale was quoted with an older rule version than its draw accepts.
	ErrStaleRules       = apperr.New(apperr.Unavailable, "RULES_CHANGED", "the rules of a game changed during the sale; sell again").WithRetryAfter(time.Second)
	errStaleReservation = risk.ErrUnavailable.WithCause(errRecounted)
)
