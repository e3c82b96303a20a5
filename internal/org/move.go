package org

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// recountDelay is the time between a move and the rebuild of the risk counts. After it, no process has cached chains or
// users from before the move.
const recountDelay = 2*chainExpiry + time.Second

// MoveRequest names an entity and its new parent.
type MoveRequest struct {
	EntityID uuid.UUID
	ParentID uuid.UUID
	DryRun   bool // change nothing and return the effect
}

// Move moves an entity, with its subtree, below another parent in the caller's scope. In a dry run, rates above the
// parent's are returned in the RateEffect and are not an error. Errors: ErrEntityNotFound, ErrRootProtected,
// ErrOwnEntity, ErrCycle, ErrTypeOrder, ErrRates.
func (s *Service) Move(ctx context.Context, by caller.Caller, to MoveRequest) (*Entity, *RateEffect, error) {
	var moved *Entity
	effect := &RateEffect{}
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
		case isProtected(row):
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
			effect, err = applyAndCompare(tx, true, to.DryRun, row.ID, func() error { return move(tx, row, parent) })
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
		return recordTx(ctx, tx, activity.EntitiesMove, row.ID, row, t)
	})
	return moved, effect, err
}

// move updates the paths of a subtree and enqueues a rebuild of the risk counts, because every ancestor of a seller has
// counts.
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
	task, err := outbox.NewRow(tasks.RiskRebuild{All: true}, outbox.At(moved[0].UpdatedAt.Add(recountDelay)))
	if err != nil {
		return err
	}
	return outbox.EnqueueGormTx(tx, task)
}
