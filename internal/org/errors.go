package org

import "banca/internal/apperr"

// Errors of the domain.
var (
	ErrEntityNotFound = apperr.New(apperr.NotFound, "ENTITY_NOT_FOUND", "no such entity in your part of the organisation")
	ErrCannotSell     = apperr.New(apperr.Forbidden, "ENTITY_CANNOT_SELL", "the entity or one above it is not active")

	ErrEntityExists  = apperr.New(apperr.Conflict, "ENTITY_CODE_TAKEN", "there is an entity with this code")
	ErrInvalidEntity = apperr.New(apperr.Invalid, "INVALID_ENTITY", "parts of the entity are missing or wrong")
	ErrTypeOrder     = apperr.New(apperr.Invalid, "ENTITY_TYPE_ORDER", "an entity must be of a lower type than its parent")
	ErrCycle         = apperr.New(apperr.Conflict, "ENTITY_CYCLE", "an entity cannot stand below itself")
	ErrRootProtected = apperr.New(apperr.Forbidden, "ROOT_PROTECTED", "the root entity cannot be deleted, moved or switched off")
	ErrOwnEntity     = apperr.New(apperr.Forbidden, "OWN_ENTITY", "an entity's rates, rules, status and place are decided above it")
	ErrStatusMove    = apperr.New(apperr.Conflict, "ENTITY_STATUS_MOVE", "an entity cannot go from its status to this one")
	ErrHasChildren   = apperr.New(apperr.Conflict, "ENTITY_HAS_CHILDREN", "there are entities below it; move or delete them first")
	ErrMovedMoney    = apperr.New(apperr.Conflict, "ENTITY_MOVED_MONEY", "money was moved here; suspend the entity instead")
	ErrEntityInUse   = apperr.New(apperr.Conflict, "ENTITY_IN_USE", "users, wallets or other records name this entity; suspend it instead")
	ErrRates         = apperr.New(apperr.Invalid, "RATES_EXCEED_PARENT", "a rate would be above what the parent is granted")

	ErrDocumentNotFound   = apperr.New(apperr.NotFound, "DOCUMENT_NOT_FOUND", "the entity has no such document")
	ErrInvalidDocument    = apperr.New(apperr.Invalid, "INVALID_DOCUMENT", "parts of the document are missing or wrong")
	ErrDocumentType       = apperr.New(apperr.Invalid, "DOCUMENT_TYPE", "only PNG, JPEG and PDF files can be attached; the content decides, not the name")
	ErrDocumentBroken     = apperr.New(apperr.Invalid, "DOCUMENT_BROKEN", "the file is cut short or damaged")
	ErrDocumentMixed      = apperr.New(apperr.Invalid, "DOCUMENT_MIXED", "the file holds another file behind its end")
	ErrDocumentDimensions = apperr.New(apperr.Invalid, "DOCUMENT_DIMENSIONS", "the picture has too many pixels: at most 12,000 a side and 32 million together")
	ErrDocumentTooLarge   = apperr.New(apperr.TooLarge, "DOCUMENT_TOO_LARGE", "the file is larger than 10 MiB")
	ErrDocumentExists     = apperr.New(apperr.Conflict, "DOCUMENT_EXISTS", "the same file is attached already")
	ErrDocumentLimit      = apperr.New(apperr.Conflict, "DOCUMENT_LIMIT", "the entity has as many documents as it may; remove one first")
	ErrDocumentStore      = apperr.New(apperr.Unavailable, "DOCUMENT_STORE_UNAVAILABLE", "the store of documents does not answer; nothing was changed")
)
