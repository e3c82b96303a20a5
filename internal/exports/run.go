package exports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// errSuperseded ends a run when a newer one has begun, or when the export is not wanted any more.
var errSuperseded = errors.New("exports: a newer run has begun")

// job is one run of an export.
type job struct {
	id       uuid.UUID
	attempt  int
	user     uuid.UUID
	entity   uuid.UUID
	report   string
	filter   Filter
	format   sheet.Format
	language string
}

// Run writes the file of an export. It is the task export.run. A run that died is repeated from the beginning; a
// finished export stays as it is. If too many exports are running, the task is enqueued again for later. An error
// that no repetition heals marks the export as failed and is not returned.
func (s *Service) Run(ctx context.Context, id uuid.UUID) error {
	j, err := s.claim(ctx, id)
	if err != nil || j == nil {
		return err
	}
	if j.attempt > maxAttempts {
		return s.fail(ctx, j, ErrFailed)
	}
	err = s.watched(ctx, j)
	switch {
	case err == nil, errors.Is(err, errSuperseded):
		return nil
	case permanent(err):
		return s.fail(ctx, j, apperr.From(err))
	default:
		return err
	}
}

// permanent reports whether no repetition heals err.
func permanent(err error) bool {
	switch apperr.From(err).Kind {
	case apperr.RateLimited, apperr.Unavailable, apperr.Internal:
		return false
	default:
		return true
	}
}

// claim begins a run. It returns nil if the export is finished, or waits for its turn. It locks all unfinished
// exports, so that runs that begin at once count each other.
func (s *Service) claim(ctx context.Context, id uuid.UUID) (*job, error) {
	var j *job
	err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
		found := job{id: id}
		var filter []byte
		var format string
		if _, err := tx.Exec(ctx, `SELECT 1 FROM report_exports WHERE state IN ('pending', 'running') ORDER BY id FOR UPDATE`); err != nil {
			return fmt.Errorf("lock unfinished exports: %w", err)
		}
		err := tx.QueryRow(ctx, `UPDATE report_exports SET state = 'running', attempt = attempt + 1, rows = 0, updated_at = clock_timestamp()
			WHERE id = $1 AND state IN ('pending', 'running')
				AND (SELECT count(*) FROM report_exports o WHERE o.state = 'running' AND o.id <> $1 AND o.updated_at > clock_timestamp() - make_interval(secs => $2)) < $3
			RETURNING attempt, user_id, entity_id, report, filter, format, language`, id, alive.Seconds(), maxRunning).
			Scan(&found.attempt, &found.user, &found.entity, &found.report, &filter, &format, &found.language)
		if errors.Is(err, pgx.ErrNoRows) {
			j = nil
			return waitTx(ctx, tx, id)
		}
		if err != nil {
			return fmt.Errorf("claim export: %w", err)
		}
		found.format = sheet.Format(format)
		j = &found
		return json.Unmarshal(filter, &j.filter)
	})
	return j, err
}

// waitTx enqueues the task again if the export is unfinished.
func waitTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	var unfinished bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM report_exports WHERE id = $1 AND state IN ('pending', 'running'))`, id).Scan(&unfinished); err != nil {
		return fmt.Errorf("read export: %w", err)
	}
	if !unfinished {
		return nil
	}
	now, err := storage.Now(ctx, tx)
	if err != nil {
		return err
	}
	row, err := outbox.NewRow(tasks.ExportRun{ExportID: id}, outbox.At(now.Add(placeWait)))
	if err != nil {
		return err
	}
	return outbox.EnqueueTx(ctx, tx, row)
}

// watched runs write with a heartbeat, so that a long query or upload counts as running. The heartbeat cancels the
// write of a superseded run.
func (s *Service) watched(ctx context.Context, j *job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(s.beat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := s.changed(ctx, j, `updated_at = clock_timestamp()`); errors.Is(err, errSuperseded) {
				cancel(err)
			}
		}
	})
	err := s.write(ctx, j)
	if errors.Is(context.Cause(ctx), errSuperseded) {
		err = errSuperseded
	}
	cancel(nil)
	beating.Wait()
	return err
}

// write makes the file, stores it and finishes the export.
func (s *Service) write(ctx context.Context, j *job) error {
	by, source, err := s.creator(ctx, j)
	if err != nil {
		return err
	}
	table, err := source.Table(ctx, by, j.language, &j.filter)
	if err != nil {
		return err
	}
	table.MadeBy, table.MadeAt = by.Name, s.Clock.Now()
	if err := s.progress(ctx, j, 0, table.Total); err != nil {
		return err
	}
	last := s.Clock.Now()
	file, err := sheet.CreateLarge(table, j.format, sheet.Locale{Language: j.language, Zone: s.Zone}, sheet.Writing{
		MaxRows: MaxRows, Progress: func(rows int64) error {
			if now := s.Clock.Now(); now.Sub(last) >= progressEvery {
				last = now
				return s.progress(ctx, j, rows, table.Total)
			}
			return ctx.Err()
		},
	})
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	key := fmt.Sprintf("%s%d.%s", prefix(j.id), j.attempt, j.format)
	if err := s.Objects.PutFile(ctx, key, file.ContentType, file.Reader(), file.Size()); err != nil {
		return err
	}
	return s.finish(ctx, j, key, file)
}

// prefix begins the object keys of an export.
func prefix(id uuid.UUID) string { return "exports/" + id.String() + "/" }

// creator returns the creator of an export with the current rights. Errors: auth.ErrForbidden if the creator is
// inactive, belongs to another entity or may not read the report.
func (s *Service) creator(ctx context.Context, j *job) (caller.Caller, *Source, error) {
	source, err := s.source(j.report)
	if err != nil {
		return caller.Caller{}, nil, err
	}
	by, err := s.Auth.CallerOf(ctx, j.user)
	if errors.Is(err, auth.ErrUserNotFound) || err == nil && (by.EntityID != j.entity || !by.May(source.Permission)) {
		return by, nil, auth.ErrForbidden
	}
	return by, source, err
}

// progress writes how far a run is. Errors: errSuperseded.
func (s *Service) progress(ctx context.Context, j *job, rows, total int64) error {
	return s.changed(ctx, j, `rows = $3, total = $4, updated_at = clock_timestamp()`, rows, total)
}

// changed changes the row of a run. Errors: errSuperseded.
func (s *Service) changed(ctx context.Context, j *job, set string, args ...any) error {
	tag, err := s.PG.Pool.Exec(ctx, `UPDATE report_exports SET `+set+` WHERE id = $1 AND attempt = $2 AND state = 'running'`,
		append([]any{j.id, j.attempt}, args...)...)
	if err != nil {
		return fmt.Errorf("progress of export: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errSuperseded
	}
	return nil
}

// finish marks the export as done if this is the newest run, and deletes the objects of the other runs.
func (s *Service) finish(ctx context.Context, j *job, key string, file *sheet.File) error {
	tag, err := s.PG.Pool.Exec(ctx, `UPDATE report_exports SET state = 'done', rows = $3, total = $3, bytes = $4, file_name = $5, object_key = $6, updated_at = clock_timestamp(),
			finished_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $7)
		WHERE id = $1 AND attempt = $2 AND state = 'running'`, j.id, j.attempt, file.Rows, file.Size(), file.Name, key, s.Retention.Seconds())
	if err != nil {
		return fmt.Errorf("finish export: %w", err)
	}
	if tag.RowsAffected() == 0 {
		_ = s.Objects.Delete(ctx, key) // the sweep deletes what stays
		return errSuperseded
	}
	_ = s.deleteObjects(ctx, j.id, key)
	return nil
}

// fail marks the export as failed if this is the newest run.
func (s *Service) fail(ctx context.Context, j *job, cause *apperr.Error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), failTimeout)
	defer cancel()
	_, err := s.PG.Pool.Exec(ctx, `UPDATE report_exports SET state = 'failed', error_code = $3, updated_at = clock_timestamp(), finished_at = clock_timestamp()
		WHERE id = $1 AND attempt = $2 AND state = 'running'`, j.id, j.attempt, cause.Code)
	if err != nil {
		return fmt.Errorf("fail export: %w", err)
	}
	_ = s.deleteObjects(ctx, j.id, "")
	return nil
}

// failTimeout bounds the cleanup after a failure.
const failTimeout = 10 * time.Second
