package devices

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrDeviceNotFound  = apperr.New(apperr.NotFound, "DEVICE_NOT_FOUND", "no such device in your part of the organisation")
	ErrEntityNotFound  = apperr.New(apperr.NotFound, "ENTITY_NOT_FOUND", "no such entity in your part of the organisation")
	ErrSessionNotFound = apperr.New(apperr.NotFound, "DEVICE_SESSION_NOT_FOUND", "no such session of this device")
	ErrInvalidDevice   = apperr.New(apperr.Invalid, "INVALID_DEVICE", "fields of the device are missing or invalid")
	ErrOwnEntityOnly   = apperr.New(apperr.Forbidden, "DEVICE_OWN_ENTITY", "you may register devices of your own entity only")
	ErrDeviceExists    = apperr.New(apperr.Conflict, "DEVICE_EXISTS", "the entity has a device with this fingerprint")
	ErrTooManyDevices  = apperr.New(apperr.Conflict, "TOO_MANY_DEVICES", "the entity has the maximum number of devices")
	ErrStatusMove      = apperr.New(apperr.Conflict, "DEVICE_STATUS_MOVE", "a device cannot go from its status to this one")
	ErrSessionMove     = apperr.New(apperr.Conflict, "DEVICE_SESSION_STATUS_MOVE", "a session cannot go from its status to this one")
	ErrFingerprint     = apperr.New(apperr.Forbidden, "FINGERPRINT_MISMATCH", "the fingerprint differs from the registered one")
	ErrBlocked         = apperr.New(apperr.Forbidden, "DEVICE_BLOCKED", "the device is blocked")
	ErrSuspended       = apperr.New(apperr.Forbidden, "DEVICE_SUSPENDED", "the device is suspended")
	ErrInactive        = apperr.New(apperr.Forbidden, "DEVICE_INACTIVE", "the device is inactive")
	ErrSessionHeld     = apperr.New(apperr.Forbidden, "DEVICE_SESSION_SUSPENDED", "the session is suspended")
	ErrSessionEnded    = apperr.New(apperr.Forbidden, "DEVICE_SESSION_ENDED", "the device session has ended; validate the device again")
	ErrDeviceKey       = apperr.New(apperr.Forbidden, "DEVICE_KEY_INVALID", "the key is not of an active device of your entity")
)
