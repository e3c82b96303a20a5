package org

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

const (
	// leftoverAge is how old a leftover must be for the sweep: no upload takes as long.
	leftoverAge   = 15 * time.Minute
	leftoverBatch = 200 // objects a sweep removes at most
	tidyTimeout   = 3 * time.Second
)

// release removes the rows of documents and leaves their objects to be removed, which the next sweep may do at once.
func release(tx *gorm.DB, where string, args ...any) error {
	err := tx.Exec(`WITH gone AS (DELETE FROM entity_documents WHERE `+where+` RETURNING object_key)
		INSERT INTO document_leftovers (object_key, since) SELECT object_key, '-infinity' FROM gone`, args...).Error
	if err != nil {
		return fmt.Errorf("release documents: %w", err)
	}
	return nil
}

// tidy removes an object that no document names, also when the request has ended. If it fails, the sweep does it.
func (s *Service) tidy(ctx context.Context, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTimeout)
	defer cancel()
	_ = s.removeLeftover(ctx, `object_key = ?`, key)
}

// errNoLeftover reports that no object is left over, or that another process is removing it.
var errNoLeftover = errors.New("org: no leftover")

// removeLeftover removes one object of the leftovers, and its line. The line is locked meanwhile, so that no upload
// can make a document of it.
func (s *Service) removeLeftover(ctx context.Context, where string, args ...any) error {
	return s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var keys []string
		err := tx.Raw(`DELETE FROM document_leftovers WHERE object_key = (SELECT object_key FROM document_leftovers WHERE `+where+`
			ORDER BY since LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING object_key`, args...).Scan(&keys).Error
		if err != nil {
			return fmt.Errorf("take leftover: %w", err)
		}
		if len(keys) == 0 {
			return errNoLeftover
		}
		return s.options.Documents.Delete(ctx, keys[0])
	})
}

// SweepDocuments removes objects that no document names: of interrupted uploads, and of documents removed while the
// store was unavailable. It returns their number and is idempotent.
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
