package exports

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/sheet"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Request asks for a file.
type Request struct {
	Report         string
	Filter         Filter
	Format         sheet.Format
	Language       string
	IdempotencyKey string
}

// Create checks a request as the report does, and enqueues the file. Errors: ErrReportUnknown, auth.ErrForbidden,
// ErrFilter, sheet.ErrTooLarge, ErrLimit, errors of the report and of idempotency.
func (s *Service) Create(ctx context.Context, by caller.Caller, r *Request) (*Export, bool, error) {
	source, err := s.source(r.Report)
	if err != nil {
		return nil, false, err
	}
	if !by.May(source.Permission) {
		return nil, false, auth.ErrForbidden
	}
	if _, ok := sheet.FormatOf(string(r.Format)); !ok {
		return nil, false, ErrFilter.WithDetails(apperr.Detail{Location: "format", Message: "must be csv or xlsx"})
	}
	if err := source.check(&r.Filter); err != nil {
		return nil, false, err
	}
	key, err := idempotency.KeyOf(by.EntityID, r.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{Key: key, Meaning: r.meaning(by)}
	replay := func(ctx context.Context, first *idempotency.Answer) (*Export, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return s.Get(ctx, by, id)
	}
	return idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Export, error) { return s.create(ctx, by, r, source, use) })
}

// meaning returns the meaning of the request. Exports of different users differ.
func (r *Request) meaning(by caller.Caller) idempotency.Meaning {
	fields := []string{by.UserID.String(), r.Report, string(r.Format)}
	for _, f := range r.Filter.fields() {
		fields = append(fields, f.value)
	}
	return idempotency.Of("export", fields...)
}

func (s *Service) create(
	ctx context.Context, by caller.Caller, r *Request, source *Source, use idempotency.Use,
) (*Export, error) {
	filter := r.Filter
	if source.Today && filter.From == "" && filter.To == "" { // the run may be on the next day
		filter.From = businessday.Of(s.Clock.Now(), s.Zone).String()
		filter.To = filter.From
	}
	table, err := source.Table(ctx, by, r.Language, &filter)
	if err != nil {
		return nil, err
	}
	if table.Total > MaxRows {
		return nil, sheet.ErrTooLarge
	}
	encoded, err := filter.encode()
	if err != nil {
		return nil, err
	}
	id := uuid.Must(uuid.NewV7())
	row, err := outbox.NewRow(tasks.ExportRun{ExportID: id})
	if err != nil {
		return nil, err
	}
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if err := limitTx(ctx, tx, by); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO report_exports (id, user_id, entity_id, report, filter, format, language, total, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), clock_timestamp())`,
			id, by.UserID, by.EntityID, r.Report, encoded, string(r.Format), r.Language, table.Total)
		if err != nil {
			return fmt.Errorf("create export: %w", err)
		}
		if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: id[:]}); err != nil {
			return err
		}
		if err := outbox.EnqueueTx(ctx, tx, row); err != nil {
			return err
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: activity.ExportsCreate, EntityID: by.EntityID, Target: id.String(),
			Details: map[string]any{"report": r.Report, "format": r.Format},
		})
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, by, id)
}

// limitTx refuses another export of a user with too many unfinished ones. It locks the row of the user. Errors:
// ErrLimit.
func limitTx(ctx context.Context, tx pgx.Tx, by caller.Caller) error {
	if _, err := tx.Exec(ctx, `SELECT 1 FROM users WHERE id = $1 FOR UPDATE`, by.UserID); err != nil {
		return fmt.Errorf("lock user: %w", err)
	}
	var unfinished int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM report_exports WHERE user_id = $1 AND state IN ('pending', 'running')`, by.UserID).Scan(&unfinished)
	if err != nil {
		return fmt.Errorf("count exports: %w", err)
	}
	if unfinished >= maxUnfinished {
		return ErrLimit
	}
	return nil
}
