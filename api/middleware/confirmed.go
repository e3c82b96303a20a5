package middleware

import (
	"context"
	"errors"
	"net/http"

	"banca/internal/auth"
	"banca/internal/platform/caller"
)

// DeviceKeyHeader carries the key of a device in place of a confirmed password.
const DeviceKeyHeader = "X-Device-Key"

// Confirmer reports whether a session's user gave the password within the last minutes.
type Confirmer interface {
	Confirmed(ctx context.Context, by caller.Caller) error
}

// DeviceKeys reports whether a key belongs to a device of the caller's entity.
type DeviceKeys interface {
	VerifyKey(ctx context.Context, by caller.Caller, key string) error
}

// Confirmed guards a sensitive write: the password was confirmed, or a device's key was sent. keys may be nil.
func Confirmed(r *http.Request, sessions Confirmer, keys DeviceKeys) error {
	return ConfirmedBy(r.Context(), r.Header.Get(DeviceKeyHeader), sessions, keys)
}

// ConfirmedBy is Confirmed for a write of which only some are sensitive, with the device's key that was sent, or "".
func ConfirmedBy(ctx context.Context, key string, sessions Confirmer, keys DeviceKeys) error {
	by, err := Caller(ctx)
	if err != nil {
		return err
	}
	if key != "" && keys != nil {
		if err := keys.VerifyKey(ctx, by, key); err == nil || !errors.Is(err, auth.ErrConfirmationRequired) {
			return err
		}
	}
	return sessions.Confirmed(ctx, by)
}
