package org

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/models"
	"banca/storage"
)

// OperatorTx returns the id of the operator and creates it if the tree is empty. It takes storage.LockTree until the
// end of the transaction. Errors: ErrInvalidEntity.
func (s *Service) OperatorTx(ctx context.Context, tx *gorm.DB, name, code string) (uuid.UUID, error) {
	if err := storage.LockTree.TakeGorm(tx); err != nil {
		return uuid.Nil, err
	}
	var found models.Entity
	err := tx.WithContext(ctx).Where("parent_id IS NULL").Take(&found).Error
	if err == nil || !errors.Is(err, gorm.ErrRecordNotFound) {
		return found.ID, err
	}
	row := models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: models.EntityOperator, Name: strings.TrimSpace(name), Code: code, Status: models.StatusActive}
	row.Path = "/" + row.ID.String() + "/"
	c, err := s.checker(ctx, Groups{})
	if err != nil {
		return uuid.Nil, err
	}
	if checkNames(c, row.Name, row.Code); c.err() != nil {
		return uuid.Nil, c.err()
	}
	for name := range allGroups() {
		*groupColumn(&row, name) = []byte("{}")
	}
	if err := tx.WithContext(ctx).Create(&row).Error; err != nil {
		return uuid.Nil, fmt.Errorf("create operator: %w", err)
	}
	return row.ID, recordTx(ctx, tx, activity.EntitiesCreate, row.ID, &row, logDetails{
		Code: row.Code, Name: row.Name, Type: row.EntityType, Changes: activity.Changed("status", nil, row.Status),
	})
}
