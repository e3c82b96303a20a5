package users

import (
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/phone"
)

// failures lists the errors of the operations on users and sessions.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"change-password": {auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrTooManyLogins, auth.ErrWeakPassword},
		"confirm":         {auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrPasswordRequired, auth.ErrTOTPRequired, auth.ErrTooManyLogins},
		"create-user": {
			auth.ErrBusy, auth.ErrInvalidUser, auth.ErrUserAbove, auth.ErrUserExists, auth.ErrWeakPassword, phone.ErrInvalid,
		},
		"delete-user":  {auth.ErrLastAdmin, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound},
		"disable-totp": {auth.ErrUserAbove, auth.ErrUserNotFound},
		"enable-totp": {
			auth.ErrInvalidCredentials, auth.ErrTOTPEnabled, auth.ErrTOTPNotStarted, auth.ErrTooManyLogins, auth.ErrUserNotFound,
		},
		"extend-session":       {auth.ErrSessionEnded, auth.ErrSessionNotFound, auth.ErrSessionTime, auth.ErrUserAbove},
		"get-session":          {auth.ErrSessionNotFound},
		"get-user":             {auth.ErrUserNotFound},
		"get-user-permissions": {auth.ErrUserNotFound},
		"login": {
			auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrLoginName, auth.ErrPasswordRequired, auth.ErrTOTPRequired,
			auth.ErrTooManyLogins, phone.ErrInvalid,
		},
		"refresh":      {auth.ErrInvalidRefresh},
		"request-code": {auth.ErrInvalidCredentials, auth.ErrLoginName, auth.ErrTooManyLogins, phone.ErrInvalid},
		"reset-password": {
			auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound,
			auth.ErrWeakPassword,
		},
		"reset-totp":           {auth.ErrUserAbove, auth.ErrUserNotFound},
		"set-user-permissions": {auth.ErrNotGrantable, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound},
		"start-totp":           {auth.ErrTOTPEnabled},
		"terminate-session":    {auth.ErrSessionEnded, auth.ErrSessionNotFound, auth.ErrUserAbove},
		"update-user": {
			auth.ErrInvalidUser, auth.ErrLastAdmin, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserExists, auth.ErrUserNotFound,
			phone.ErrInvalid,
		},
	}
}
