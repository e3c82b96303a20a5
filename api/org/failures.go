package org

import (
	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
	"banca/internal/platform/pixels"
)

// failures lists the errors of the operations on entities and their documents.
func failures() map[string][]*apperr.Error {
	return map[string][]*apperr.Error{
		"attach-document": {
			errNoForm, pixels.ErrBusy, pixels.ErrTooMuchMemory, org.ErrDocumentBroken, org.ErrDocumentDimensions, org.ErrDocumentExists, org.ErrDocumentLimit,
			org.ErrDocumentMixed, org.ErrDocumentStore, org.ErrDocumentTooLarge, org.ErrDocumentType, org.ErrEntityNotFound,
			org.ErrInvalidDocument,
		},
		"create-entity": {
			auth.ErrConfirmationRequired, devices.ErrDeviceKey, money.ErrAmount, org.ErrEntityExists, org.ErrEntityNotFound,
			org.ErrInvalidEntity, org.ErrRates, org.ErrTypeOrder, phone.ErrInvalid,
		},
		"delete-entity": {
			org.ErrEntityInUse, org.ErrEntityNotFound, org.ErrHasChildren, org.ErrMovedMoney, org.ErrOwnEntity,
			org.ErrRootProtected,
		},
		"entity-effective-config": {money.ErrAmount, org.ErrEntityNotFound},
		"entity-tree":             {org.ErrEntityNotFound},
		"get-entity":              {org.ErrEntityNotFound},
		"list-documents":          {org.ErrDocumentStore, org.ErrEntityNotFound},
		"move-entity": {
			money.ErrAmount, org.ErrCycle, org.ErrEntityNotFound, org.ErrOwnEntity, org.ErrRates, org.ErrRootProtected,
			org.ErrTypeOrder,
		},
		"remove-document":   {org.ErrDocumentNotFound, org.ErrEntityNotFound},
		"set-entity-status": {org.ErrEntityNotFound, org.ErrOwnEntity, org.ErrRootProtected, org.ErrStatusMove},
		"update-entity": {
			auth.ErrConfirmationRequired, devices.ErrDeviceKey, money.ErrAmount, org.ErrEntityExists, org.ErrEntityNotFound,
			org.ErrInvalidEntity, org.ErrOwnEntity, org.ErrRates, phone.ErrInvalid,
		},
	}
}
