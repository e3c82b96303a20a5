package org

import "banca/internal/platform/apperr"

// Errors of the domain.
var (
	ErrEntityNotFound = apperr.New(apperr.NotFound, "ENTITY_NOT_FOUND", "no such entity in your part of the organisation")
	ErrCannotSell     = apperr.New(apperr.Forbidden, "ENTITY_CANNOT_SELL", "the entity or one above it is not active")

	ErrEntityExists  = apperr.New(apperr.Conflict, "ENTITY_CODE_TAKEN", "an entity with this code exists")
	ErrInvalidEntity = apperr.New(apperr.Invalid, "INVALID_ENTITY", "fields of the entity are missing or invalid")
	ErrTypeOrder     = apperr.New(apperr.Invalid, "ENTITY_TYPE_ORDER", "an entity must be of a lower type than its parent")
	ErrCycle         = apperr.New(apperr.Conflict, "ENTITY_CYCLE", "an entity cannot be moved below itself")
	ErrRootProtected = apperr.New(apperr.Forbidden, "ROOT_PROTECTED", "the operator's entity cannot be deleted, moved or deactivated")
	ErrOwnEntity     = apperr.New(apperr.Forbidden, "OWN_ENTITY", "only users of an entity above can change its rates, rules, status and parent")
	ErrStatusMove    = apperr.New(apperr.Conflict, "ENTITY_STATUS_MOVE", "an entity cannot go from its status to this one")
	ErrHasChildren   = apperr.New(apperr.Conflict, "ENTITY_HAS_CHILDREN", "the entity has children; move or delete them first")
	ErrMovedMoney    = apperr.New(apperr.Conflict, "ENTITY_MOVED_MONEY", "the entity has transactions; suspend it instead")
	ErrEntityInUse   = apperr.New(apperr.Conflict, "ENTITY_IN_USE", "users, wallets or other records refer to this entity; suspend it instead")
	ErrRates         = apperr.New(apperr.Invalid, "RATES_EXCEED_PARENT", "a rate exceeds the parent's rate")

	ErrDocumentNotFound   = apperr.New(apperr.NotFound, "DOCUMENT_NOT_FOUND", "the entity has no such document")
	ErrInvalidDocument    = apperr.New(apperr.Invalid, "INVALID_DOCUMENT", "fields of the document are missing or invalid")
	ErrLogo               = apperr.New(apperr.Invalid, "DOCUMENT_LOGO", "a logo is a PNG or JPEG of at most 200 kB and 2,000 pixels a side")
	ErrDocumentType       = apperr.New(apperr.Invalid, "DOCUMENT_TYPE", "only PNG, JPEG and PDF files can be attached; the content decides, not the name")
	ErrDocumentBroken     = apperr.New(apperr.Invalid, "DOCUMENT_BROKEN", "the file is truncated or damaged")
	ErrDocumentMixed      = apperr.New(apperr.Invalid, "DOCUMENT_MIXED", "the file contains another file after its end")
	ErrDocumentDimensions = apperr.New(apperr.Invalid, "DOCUMENT_DIMENSIONS", "the picture has too many pixels: at most 12,000 a side and 32 million together")
	ErrDocumentTooLarge   = apperr.New(apperr.TooLarge, "DOCUMENT_TOO_LARGE", "the file is larger than 10 MiB")
	ErrDocumentExists     = apperr.New(apperr.Conflict, "DOCUMENT_EXISTS", "the same file is attached already")
	ErrDocumentLimit      = apperr.New(apperr.Conflict, "DOCUMENT_LIMIT", "the entity has the maximum number of documents; remove one first")
	ErrDocumentStore      = apperr.New(apperr.Unavailable, "DOCUMENT_STORE_UNAVAILABLE", "the store of documents does not answer; nothing was changed")
)
