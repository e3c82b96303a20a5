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
)
