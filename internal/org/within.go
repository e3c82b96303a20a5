package org

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/models"
)

// Within is a condition on rows that belong to entities: that the entity lies in a caller's scope.
type Within struct {
	point   uuid.UUID // Nil for a caller of another kind of entity
	pattern string
}

// Within returns the condition of a caller. A ticket point has nothing below it, so a list of its rows compares the column of
// the entity, which an index answers in the order of ids; with a subtree the planner reads the table from its end and
// filters.
func (s *Service) Within(ctx context.Context, by caller.Caller) (Within, error) {
	chain, err := s.Chain(ctx, by.EntityID)
	switch {
	case errors.Is(err, ErrEntityNotFound):
		return Within{pattern: by.Scope.Pattern()}, nil
	case err != nil:
		return Within{}, err
	case chain.Path() != by.Scope.Path() || chain.Self().Type != models.EntityTicketPoint:
		return Within{pattern: by.Scope.Pattern()}, nil
	}
	return Within{point: by.EntityID}, nil
}

// SQL returns the condition. entity is the column of the entity's id, path the one of its path in a statement that joins
// the entity, else empty; parameter is the name of the parameter whose value is Value.
func (w Within) SQL(entity, path, parameter string) string {
	switch {
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
