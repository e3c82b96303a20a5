package messaging

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrInvalidRecipient = apperr.New(apperr.Invalid, "INVALID_RECIPIENT", "the recipient must be a telephone number in E.164 form")
	ErrInvalidMessage   = apperr.New(apperr.Invalid, "INVALID_MESSAGE", "the message is too long, empty, or its picture has no http address")
	ErrNotFound         = apperr.New(apperr.NotFound, "MESSAGE_NOT_FOUND", "no such message")
	ErrNotResendable    = apperr.New(apperr.Conflict, "MESSAGE_NOT_RESENDABLE", "only a failed or unknown message can be sent again")
	ErrNotBulk          = apperr.New(apperr.Invalid, "MESSAGES_NOT_RESENDABLE", "only failed or unknown messages can be sent again: the status must be one of the two")
	ErrNothing          = apperr.New(apperr.Conflict, "MESSAGES_NONE", "no message of the filter can be sent again")
	ErrResendNotFound   = apperr.New(apperr.NotFound, "RESEND_NOT_FOUND", "no such resend")
	errUnderWay         = apperr.New(apperr.Unavailable, "MESSAGE_UNDER_WAY", "another attempt of this message is under way")
)
