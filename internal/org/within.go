package org

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/models"
)

// Within is the condition that the entity of a row is in a caller's scope.
type Within struct {
	point   uuid.UUID // the ticket point of the caller; Nil for callers of other entities
	all     bool      // every entity is in the scope
	pattern string
}

// Within returns the condition for a caller. A ticket point has no descendants, so its condition compares the entity's
// id, which an index answers in the order of ids. The operator has every entity, so its condition reads none. For a condition on
// another subtree, the planner scans the table from its end and filters.
func (s *Service) Within(ctx context.Context, by caller.Caller) (Within, error) {
	chain, err := s.Chain(ctx, by.EntityID)
	switch {
	case errors.Is(err, ErrEntityNotFound):
		return Within{pattern: by.Scope.Pattern()}, nil
	case err != nil:
		return Within{}, err
	case chain.Path() != by.Scope.Path():
		return Within{pattern: by.Scope.Pattern()}, nil
	case chain.Self().Type == models.EntityTicketPoint:
		return Within{point: by.EntityID}, nil
	}
	return Within{pattern: by.Scope.Pattern(), all: len(chain) == 1 && chain.Self().Type == models.EntityOperator}, nil
}

// SQL returns the condition. entity is the column of the entity's id. path is the column of the entity's path if the
// statement joins entities, otherwise "". parameter is the placeholder for Value.
func (w Within) SQL(entity, path, parameter string) string {
	switch {
	case w.all:
		return parameter + `::text IS NOT NULL` // true: Postgres refuses a parameter that has no type
	case w.point != uuid.Nil:
		return entity + ` = ` + parameter
	case path != "":
		return path + ` LIKE ` + parameter
	}
	return entity + ` IN (SELECT id FROM entities WHERE path LIKE ` + parameter + `)`
}

// Value returns the value of the parameter of SQL.
func (w Within) Value() any {
	if w.point != uuid.Nil {
		return w.point
	}
	return w.pattern
}
