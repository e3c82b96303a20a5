package auth

import (
	"time"

	"banca/internal/platform/apperr"
)

// Errors of the domain.
var (
	ErrInvalidCredentials = apperr.New(apperr.Unauthenticated, "INVALID_CREDENTIALS", "the name or the password is wrong")
	ErrLoginName          = apperr.New(apperr.Invalid, "LOGIN_NAME_REQUIRED", "give exactly one of identifier, email and phone")
	ErrPasswordRequired   = apperr.New(apperr.Invalid, "PASSWORD_REQUIRED", "give exactly one of password and code")
	ErrUnauthenticated    = apperr.New(apperr.Unauthenticated, "UNAUTHENTICATED", "a valid access token is required")
	ErrTokenExpired       = apperr.New(apperr.Unauthenticated, "TOKEN_EXPIRED", "the access token has expired, refresh it")
	ErrInvalidRefresh     = apperr.New(apperr.Unauthenticated, "INVALID_REFRESH_TOKEN", "the refresh token is not valid, log in again")
	ErrForbidden          = apperr.New(apperr.Forbidden, "FORBIDDEN", "your role does not allow this")

	// ErrConfirmationRequired is the answer to a sensitive write without a confirmation.
	ErrConfirmationRequired = apperr.New(apperr.Forbidden, "CONFIRMATION_REQUIRED", "confirm your password first (POST /auth/confirm), or send the key of a device")

	ErrTooManyLogins  = apperr.New(apperr.RateLimited, "TOO_MANY_LOGINS", "too many wrong attempts; try again after Retry-After")
	ErrBusy           = apperr.New(apperr.Unavailable, "LOGIN_BUSY", "too many logins at once; try again").WithRetryAfter(2 * time.Second)
	ErrTOTPRequired   = apperr.New(apperr.Unauthenticated, "TOTP_REQUIRED", "a code of the authenticator program is required")
	ErrTOTPEnabled    = apperr.New(apperr.Conflict, "TOTP_ENABLED", "an authenticator program is in use already")
	ErrTOTPNotStarted = apperr.New(apperr.Conflict, "TOTP_NOT_STARTED", "request a secret first (POST /auth/totp)")
	ErrCodeGone       = apperr.New(apperr.NotFound, "CODE_GONE", "the code was used or has expired")

	ErrUserNotFound    = apperr.New(apperr.NotFound, "USER_NOT_FOUND", "no such user in your part of the organisation")
	ErrUserExists      = apperr.New(apperr.Conflict, "USER_NAME_TAKEN", "another user has this email, phone or identifier")
	ErrInvalidUser     = apperr.New(apperr.Invalid, "INVALID_USER", "fields of the user are missing or invalid")
	ErrUserAbove       = apperr.New(apperr.Forbidden, "USER_ABOVE", "the user has, or would have, permissions that you do not have")
	ErrOwnUser         = apperr.New(apperr.Forbidden, "OWN_USER", "you cannot change your own role, status, entity or permissions")
	ErrLastAdmin       = apperr.New(apperr.Conflict, "LAST_ADMIN", "the last active administrator of the operator must remain one")
	ErrNotGrantable    = apperr.New(apperr.Invalid, "NOT_GRANTABLE", "a user of this role cannot be granted this")
	ErrSessionNotFound = apperr.New(apperr.NotFound, "SESSION_NOT_FOUND", "no such session in your part of the organisation")
	ErrSessionEnded    = apperr.New(apperr.Conflict, "SESSION_ENDED", "the session has ended")
	ErrSessionTime     = apperr.New(apperr.Invalid, "SESSION_TIME", "the new end must be in the future and within the lifetime of a session")

	ErrWeakPassword = apperr.New(apperr.Invalid, "WEAK_PASSWORD", "a password has 8 to 72 bytes, is not a name of the user and not a common one such as 12345678")
)
