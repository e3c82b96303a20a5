package weekly

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrNotFound = apperr.New(
		apperr.NotFound, "SETTLEMENT_NOT_FOUND", "no such weekly settlement in your part of the organisation",
	)
	ErrOperatorOnly = apperr.New(
		apperr.Forbidden, "OPERATOR_ONLY", "only the operator drafts and confirms weekly settlements",
	)
	ErrNotAbove = apperr.New(
		apperr.Forbidden, "SETTLEMENT_OF_OWN_ENTITY", "payments of a settlement are registered by an entity above",
	)
	ErrWeek  = apperr.New(apperr.Invalid, "WEEK_INVALID", "a week is named by its Monday")
	ErrRange = apperr.New(
		apperr.Invalid, "RANGE_INVALID", "a range ends on or after its first day and has at most 366 days",
	)
	ErrStatusRange = apperr.New(
		apperr.Invalid, "WEEK_REQUIRED",
		"a list of paid or carried settlements is of one week, or of Mondays within 62 days",
	)
	ErrWeekNotOver = apperr.New(
		apperr.Conflict, "WEEK_NOT_OVER", "the week is not over, or its sales are not counted yet",
	)
	ErrNotNewest    = apperr.New(apperr.Conflict, "LATER_WEEK_DRAFTED", "a later week is drafted")
	ErrUndrafted    = apperr.New(apperr.Conflict, "WEEK_NOT_DRAFTED", "a week that is over must be drafted first")
	ErrConfirmed    = apperr.New(apperr.Conflict, "SETTLEMENT_CONFIRMED", "a settlement of the week is confirmed")
	ErrUnconfirmed  = apperr.New(apperr.Conflict, "SETTLEMENT_NOT_CONFIRMED", "the settlement must be confirmed first")
	ErrEarlierDraft = apperr.New(
		apperr.Conflict, "EARLIER_SETTLEMENT_DRAFT", "the settlement of the week before must be confirmed first",
	)
	ErrNothingDue = apperr.New(apperr.Conflict, "SETTLEMENT_PAID", "nothing is left to pay")
	ErrCarried    = apperr.New(
		apperr.Conflict, "SETTLEMENT_CARRIED", "the outstanding amount moved to the settlement of the next week",
	)
	ErrOutstanding = apperr.New(apperr.Conflict, "OUTSTANDING_CHANGED", "the outstanding amount has changed meanwhile")
	ErrNoPayment   = apperr.New(apperr.Invalid, "NOT_A_PAYMENT", "the movement is not a payment of this settlement")
	ErrLinked      = apperr.New(
		apperr.Conflict, "PAYMENT_LINKED", "the movement pays a settlement of this entity already",
	)
	ErrNotLinked = apperr.New(apperr.NotFound, "PAYMENT_NOT_LINKED", "the movement does not pay this settlement")
)
