package auth

import (
	"time"

	"banca/internal/apperr"
)

// Errors of the domain.
var (
	ErrInvalidCredentials = apperr.New(apperr.Unauthenticated, "INVALID_CREDENTIALS", "the name or the password is wrong")
	ErrLoginName          = apperr.New(apperr.Invalid, "LOGIN_NAME_REQUIRED", "give exactly one of identifier, email and phone")
	ErrUnauthenticated    = apperr.New(apperr.Unauthenticated, "UNAUTHENTICATED", "a valid access token is needed")
	ErrTokenExpired       = apperr.New(apperr.Unauthenticated, "TOKEN_EXPIRED", "the access token has expired, refresh it")
	ErrInvalidRefresh     = apperr.New(apperr.Unauthenticated, "INVALID_REFRESH_TOKEN", "the refresh token is not valid, log in again")
	ErrForbidden          = apperr.New(apperr.Forbidden, "FORBIDDEN", "your role does not allow this")

	// ErrConfirmationRequired is the answer to a sensitive write without a confirmation.
	ErrConfirmationRequired = apperr.New(apperr.Forbidden, "CONFIRMATION_REQUIRED", "confirm your password first (POST /auth/confirm), or send the key of a device")

	ErrTooManyLogins = apperr.New(apperr.RateLimited, "TOO_MANY_LOGINS", "too many wrong attempts, wait")
	ErrBusy          = apperr.New(apperr.Unavailable, "LOGIN_BUSY", "too many logins at this moment").WithRetryAfter(2 * time.Second)
	ErrWeakPassword  = apperr.New(apperr.Invalid, "WEAK_PASSWORD", "a password has 8 to 72 bytes")
	ErrUserName      = apperr.New(apperr.Invalid, "USER_NAME_REQUIRED", "a user needs an email, a name and a role")
)
