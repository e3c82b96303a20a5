package org

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/models"
)

const (
	// leftoverAge is the minimum age of a leftover that the sweep removes. No upload takes as long.
	leftoverAge   = 15 * time.Minute
	leftoverBatch = 200 // maximum number of objects that a sweep removes
	tidyTimeout   = 3 * time.Second
)

// releaseDocuments deletes the rows of documents and inserts leftovers for their objects, which the next sweep removes
// regardless of leftoverAge.
func releaseDocuments(tx *gorm.DB, where string, args ...any) error {
	var gone []models.EntityDocument
	if err := tx.Clauses(clause.Returning{Columns: []clause.Column{{Name: "object_key"}}}).Where(where, args...).Delete(&gone).Error; err != nil {
		return fmt.Errorf("release documents: %w", err)
	}
	if len(gone) == 0 {
		return nil
	}
	keys := make([]string, len(gone))
	for i := range gone {
		keys[i] = gone[i].ObjectKey
	}
	return insertLeftovers(tx, "'-infinity'", keys...)
}

// insertLeftovers inserts leftovers for objects in one statement. since is the SQL expression of the instant from which
// leftoverAge counts.
func insertLeftovers(tx *gorm.DB, since string, keys ...string) error {
	rows := make([]map[string]any, len(keys))
	for i, key := range keys {
		rows[i] = map[string]any{"object_key": key, "since": gorm.Expr(since)}
	}
	if err := tx.Model(&models.DocumentLeftover{}).Create(rows).Error; err != nil {
		return fmt.Errorf("write leftovers: %w", err)
	}
	return nil
}

// removeObject removes the object of a leftover, even if ctx was cancelled. If that fails, the sweep removes it.
func (s *Service) removeObject(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	_ = s.removeLeftover(ctx, `object_key = ?`, key)
}

// errNoLeftover means that there is no such leftover, or that another process is removing it.
var errNoLeftover = errors.New("org: no leftover")

// removeLeftover removes the object of one leftover, and its row. The row is locked meanwhile, so that no document can be
// inserted for the object.
func (s *Service) removeLeftover(ctx context.Context, where string, args ...any) error {
	return s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var row models.DocumentLeftover
		err := tx.Select("object_key").Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).Where(where, args...).Order("since").Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return errNoLeftover
		}
		if err != nil {
			return fmt.Errorf("take leftover: %w", err)
		}
		if err := tx.Delete(&row).Error; err != nil {
			return fmt.Errorf("delete leftover: %w", err)
		}
		return s.options.Documents.Delete(ctx, row.ObjectKey)
	})
}

// SweepDocuments removes the objects of interrupted uploads, and of documents that were deleted while the object store
// was unavailable. It returns their number and is idempotent.
func (s *Service) SweepDocuments(ctx context.Context) (int, error) {
	if s.options.Documents == nil {
		return 0, nil
	}
	for n := range leftoverBatch {
		err := s.removeLeftover(ctx, `since < now() - make_interval(secs => ?)`, leftoverAge.Seconds())
		if errors.Is(err, errNoLeftover) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("sweep documents: %w", err)
		}
	}
	return leftoverBatch, nil
}
