package devices

import (
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/platform/apperr"
)

// failures lists the errors of the operations on devices.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"get-device": {devices.ErrDeviceNotFound},
		"register-device": {
			devices.ErrDeviceExists, devices.ErrEntityNotFound, devices.ErrInvalidDevice, devices.ErrOwnEntityOnly,
			devices.ErrTooManyDevices,
		},
		"set-device-session-status": {
			auth.ErrConfirmationRequired, devices.ErrBlocked, devices.ErrDeviceNotFound, devices.ErrInactive, devices.ErrSessionMove,
			devices.ErrSessionNotFound, devices.ErrSuspended,
		},
		"set-device-status": {auth.ErrConfirmationRequired, devices.ErrDeviceNotFound, devices.ErrStatusMove},
		"update-device":     {devices.ErrDeviceNotFound, devices.ErrInvalidDevice},
		"validate-device": {
			devices.ErrBlocked, devices.ErrDeviceNotFound, devices.ErrEntityNotFound, devices.ErrFingerprint, devices.ErrInactive,
			devices.ErrSessionHeld, devices.ErrSuspended,
		},
	}
}
