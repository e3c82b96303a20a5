package org

import (
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

// writeErrors returns the errors of a new or changed entity, and errs.
func writeErrors(errs ...*apperr.Error) []*apperr.Error {
	return append(errs, auth.ErrConfirmationRequired, devices.ErrDeviceKey, money.ErrAmount, org.ErrEntityExists,
		org.ErrEntityNotFound, org.ErrInvalidEntity, org.ErrRates, phone.ErrInvalid)
}
