package org

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// requireUnused returns an error if other entities refer to an entity, or rows of a table without a foreign key. Errors:
// ErrHasChildren, ErrMovedMoney, ErrEntityInUse.
func requireUnused(tx *gorm.DB, id uuid.UUID) error {
	for _, use := range []struct {
		rows    *gorm.DB
		refusal error
	}{
		{tx.Model(&models.Entity{}).Where("parent_id = ?", id), ErrHasChildren},
		{tx.Model(&models.Ticket{}).Where("entity_id = ?", id), ErrMovedMoney},
		{tx.Table("wallet_balances").Where("entity_id = ? AND moved", id), ErrMovedMoney},
		{tx.Model(&models.MessageLog{}).Where("entity_id = ?", id), ErrEntityInUse},
	} {
		var found []uuid.UUID
		if err := use.rows.Limit(1).Pluck("id", &found).Error; err != nil {
			return fmt.Errorf("uses of entity: %w", err)
		}
		if len(found) > 0 {
			return use.refusal
		}
	}
	return nil
}

// Delete deletes an entity that no other row refers to, with its documents. Errors: ErrEntityNotFound, ErrRootProtected,
// ErrOwnEntity, ErrHasChildren, ErrMovedMoney, ErrEntityInUse.
func (s *Service) Delete(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	return s.write(ctx, false, func(tx *gorm.DB) error {
		row, err := rowInScope(tx, by, id)
		if err != nil {
			return err
		}
		if isProtected(row) {
			return ErrRootProtected
		}
		if row.Path == by.Scope.Path() {
			return ErrOwnEntity
		}
		if err := requireUnused(tx, id); err != nil {
			return err
		}
		// Foreign keys refuse the deletion of an entity with a wallet, even an unused one, with users or with customers.
		// Wallets are never deleted, so every posting keeps its owner.
		if err := releaseDocuments(tx, "entity_id = ?", id); err != nil {
			return err
		}
		err = tx.Delete(row).Error
		if errors.Is(err, gorm.ErrForeignKeyViolated) {
			return ErrEntityInUse
		}
		if err != nil {
			return fmt.Errorf("delete entity: %w", err)
		}
		seenBy := *row.ParentID
		return recordTx(ctx, tx, activity.EntitiesDelete, seenBy, row, logDetailsOf(row))
	})
}
