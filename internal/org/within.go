package org

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/models"
)

// Within is the condition that the entity of a row is in a caller's scope.
type Within struct {
	point   uuid.UUID // the ticket point of the caller; Nil for callers of other entities
	all     bool      // every entity is in the scope
	pattern string
	ids     string // of the entities as an array of Postgres; "" if they are not listed
}

// fewEntities is up to how many entities a condition lists.
const fewEntities = 500

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

// Below returns the condition that the entity of a row has a path or is below it.
func Below(path string) Within { return Within{pattern: path + "%"} }

// Listed returns the condition with the ids of the entities, if they are few: the planner expects as many rows of a table as there are, and finds them by
// an index that begins with the entity. Of a subselect it expects too few or too many.
func (s *Service) Listed(ctx context.Context, w Within) (Within, error) {
	if w.all || w.point != uuid.Nil {
		return w, nil
	}
	var ids []string
	err := s.db.WithContext(ctx).Model(&models.Entity{}).Where("path LIKE ?", w.pattern).Limit(fewEntities+1).Pluck("id", &ids).Error
	if err != nil {
		return w, fmt.Errorf("list entities: %w", err)
	}
	if len(ids) <= fewEntities {
		w.ids = "{" + strings.Join(ids, ",") + "}"
	}
	return w, nil
}

// OnePoint reports whether only one ticket point is in the scope.
func (w Within) OnePoint() bool { return w.point != uuid.Nil }

// SQL returns the condition. entity is the column of the entity's id. path is the column of the entity's path if the
// statement joins entities, otherwise "". parameter is the placeholder for Value.
func (w Within) SQL(entity, path, parameter string) string {
	switch {
	case w.all:
		return parameter + `::text IS NOT NULL` // true: Postgres refuses a parameter that has no type
	case w.point != uuid.Nil:
		return entity + ` = ` + parameter
	case w.ids != "":
		return entity + ` = ANY (` + parameter + `::uuid[])`
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
	if w.ids != "" {
		return w.ids
	}
	return w.pattern
}
