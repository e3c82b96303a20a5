package org

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/caller"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// recount is how long after a move the risk counters are rebuilt: by then no process sells on a chain, or for
// a user, from before the move.
const recount = 2*chainExpiry + time.Second

// NewPlace names an entity and its parent to be.
type NewPlace struct {
	EntityID uuid.UUID
	ParentID uuid.UUID
	DryRun   bool // only return what would happen
}

// Move puts an entity, with its subtree, under another parent in the caller's scope. In a dry run, violations of
// the rates are returned and not an error. Errors: ErrEntityNotFound, ErrRootProtected, ErrOwnEntity, ErrCycle,
// ErrTypeOrder, ErrRates.
func (s *Service) Move(ctx context.Context, by caller.Caller, to NewPlace) (*Entity, *WhatIf, error) {
	var moved *Entity
	what := &WhatIf{}
	err := s.write(ctx, to.DryRun, func(tx *gorm.DB) error {
		row, err := rowInScope(tx, by, to.EntityID)
		if err != nil {
			return err
		}
		parent, err := rowInScope(tx, by, to.ParentID)
		if err != nil {
			return err
		}
		switch {
		case s.protected(row):
			return ErrRootProtected
		case row.Path == by.Scope.Path():
			return ErrOwnEntity
		case strings.HasPrefix(parent.Path, row.Path):
			return ErrCycle
		case rank(row.EntityType) <= rank(parent.EntityType):
			return ErrTypeOrder
		}
		t := logDetailsOf(row)
		t.Changes.Set("parent_id", row.ParentID.String(), parent.ID.String())
		if *row.ParentID != parent.ID {
			what, err = trial(tx, true, to.DryRun, row.ID, func() error { return move(tx, row, parent) })
			if err != nil {
				return err
			}
		}
		if row, err = rowInScope(tx, by, to.EntityID); err != nil {
			return err
		}
		if moved, err = entityOf(row); err != nil || to.DryRun || len(t.Changes) == 0 {
			return err
		}
		return recordTx(ctx, tx, "move", row.ID, row, t)
	})
	return moved, what, err
}

// move rewrites the paths of a subtree and enqueues a rebuild of the counters of its sales, because counters are kept
// for every ancestor of a seller.
func move(tx *gorm.DB, row, parent *models.Entity) error {
	path := parent.Path + row.ID.String() + "/"
	var moved []models.Entity
	err := tx.Model(&moved).Clauses(clause.Returning{Columns: []clause.Column{{Name: "updated_at"}}}).Where("path LIKE ?", row.Path+"%").
		UpdateColumns(map[string]any{
			"path":       gorm.Expr("? || substr(path, ?)", path, len(row.Path)+1),
			"parent_id":  gorm.Expr("CASE WHEN id = ? THEN ? ELSE parent_id END", row.ID, parent.ID),
			"updated_at": gorm.Expr("now()"),
		}).Error
	if err != nil {
		return fmt.Errorf("move entity: %w", err)
	}
	task, err := outbox.NewRow(tasks.RiskRebuild{All: true}, outbox.At(moved[0].UpdatedAt.Add(recount)))
	if err != nil {
		return err
	}
	return outbox.EnqueueGormTx(tx, task)
}
