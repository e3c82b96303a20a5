package exports

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// sweepBatch bounds the exports of a sweep.
const sweepBatch = 500

// Sweep deletes the objects of files whose time is over and marks them as expired, marks exports as failed that were given up without a word, and
// deletes old rows. It is the task export.sweep, idempotent, and returns the number of expired files.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	expired, err := s.ids(ctx, `SELECT id FROM report_exports WHERE state = 'done' AND expires_at <= clock_timestamp() ORDER BY updated_at LIMIT $1`, sweepBatch)
	if err != nil {
		return 0, err
	}
	for n, id := range expired {
		if err := s.deleteObjects(ctx, id, ""); err != nil {
			return n, err
		}
		if _, err := s.PG.Pool.Exec(ctx, `UPDATE report_exports SET state = 'expired', object_key = NULL, updated_at = clock_timestamp() WHERE id = $1 AND state = 'done'`, id); err != nil {
			return n, fmt.Errorf("expire export: %w", err)
		}
	}
	lost, err := s.ids(ctx, `UPDATE report_exports SET state = 'failed', error_code = $2, finished_at = clock_timestamp(), updated_at = clock_timestamp()
		WHERE state IN ('pending', 'running') AND updated_at < clock_timestamp() - make_interval(secs => $1) RETURNING id`, stuck.Seconds(), ErrFailed.Code)
	if err != nil {
		return len(expired), err
	}
	for _, id := range lost {
		if err := s.deleteObjects(ctx, id, ""); err != nil {
			return len(expired), err
		}
	}
	return len(expired), s.forget(ctx)
}

// forget deletes old rows, and the objects that a failure may have left: the store may have been away when the export was given up.
func (s *Service) forget(ctx context.Context) error {
	old, err := s.ids(ctx, `SELECT id FROM report_exports WHERE state IN ('failed', 'expired') AND updated_at < clock_timestamp() - make_interval(secs => $1) LIMIT $2`,
		kept.Seconds(), sweepBatch)
	if err != nil {
		return err
	}
	for _, id := range old {
		if err := s.deleteObjects(ctx, id, ""); err != nil {
			return err
		}
		if _, err := s.PG.Pool.Exec(ctx, `DELETE FROM report_exports WHERE id = $1`, id); err != nil {
			return fmt.Errorf("delete old export: %w", err)
		}
	}
	return nil
}

func (s *Service) ids(ctx context.Context, sql string, args ...any) ([]uuid.UUID, error) {
	return storage.Collect(ctx, s.PG.Pool, "sweep exports", pgx.RowTo[uuid.UUID], sql, args...)
}

// deleteObjects deletes the objects of an export but one.
func (s *Service) deleteObjects(ctx context.Context, id uuid.UUID, but string) error {
	keys, err := s.Objects.Keys(ctx, prefix(id))
	if err != nil {
		return fmt.Errorf("list files of an export: %w", err)
	}
	var errs []error
	for _, key := range keys {
		if key != but {
			errs = append(errs, s.Objects.Delete(ctx, key))
		}
	}
	return errors.Join(errs...)
}
