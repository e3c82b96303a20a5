package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// alert adds an alert for operators, one per draw and kind. A repetition increments the count of the alert and reopens
// it if it was acknowledged.
func (s *Service) alert(ctx context.Context, draw uuid.UUID, kind, detail string) error {
	return s.alertTx(ctx, s.PG.Pool, draw, kind, detail)
}

func (s *Service) alertTx(ctx context.Context, db execer, draw uuid.UUID, kind, detail string) error {
	return s.insertAlert(ctx, db, draw, kind, detail, `UPDATE SET count = draw_alerts.count + 1, last_at = excluded.last_at, detail = excluded.detail,
		acknowledged_by = NULL, acknowledged_at = NULL`)
}

// alertOnce adds an alert unless the draw has one of its kind, acknowledged or not.
func (s *Service) alertOnce(ctx context.Context, draw uuid.UUID, kind string) error {
	return s.insertAlert(ctx, s.PG.Pool, draw, kind, "", `NOTHING`)
}

// insertAlert inserts an alert. onConflict is the action of ON CONFLICT DO if the draw has an alert of its kind.
func (s *Service) insertAlert(ctx context.Context, db execer, draw uuid.UUID, kind, detail, onConflict string) error {
	_, err := db.Exec(ctx, `INSERT INTO draw_alerts (id, draw_id, kind, detail, first_at, last_at) VALUES ($1, $2, $3, $4, $5, $5)
		ON CONFLICT (draw_id, kind) DO `+onConflict, uuid.Must(uuid.NewV7()), draw, kind, detail, s.Clock.Now())
	if err != nil {
		return fmt.Errorf("alert %s: %w", kind, err)
	}
	return nil
}

// Alert is a condition of a draw that needs an operator.
type Alert struct {
	ID             uuid.UUID
	DrawID         uuid.UUID
	Game           string // name
	DrawNumber     string
	DrawTime       time.Time
	Kind           string
	Detail         string // for technicians; Note and Cause are for others
	Cause          Cause  // of a draw that was not closed in an external system
	Count          int64
	FirstAt        time.Time
	LastAt         time.Time
	AcknowledgedBy uuid.UUID // Nil while open
	AcknowledgedAt time.Time
}

// AlertFilter selects alerts; zero fields select all.
type AlertFilter struct {
	Open   bool   // that are not acknowledged
	Others bool   // without the draws that were not closed in an external system, which CloseFailures counts
	Cause  string // key of a Cause
}

// Alerts returns a page of the alerts that a filter selects, the latest first, and the number of all.
func (s *Service) Alerts(ctx context.Context, f *AlertFilter, limit, offset int) ([]Alert, int64, error) {
	w := &storage.Where{}
	if f.Open {
		w.And(`a.acknowledged_at IS NULL`)
	}
	if f.Others {
		w.And(`NOT ` + closeFailed)
	}
	if f.Cause != "" {
		w.And(closeFailed)
		w.And(causeKey + ` = ` + w.Arg(f.Cause))
	}
	listing := &storage.Listing{
		Columns:   `a.id, a.draw_id, g.name, d.draw_number, d.draw_time, a.kind, a.detail, ` + causeOfAlert + `, a.count, a.first_at, a.last_at, a.acknowledged_by, a.acknowledged_at`,
		From:      `FROM draw_alerts a JOIN draws d ON d.id = a.draw_id JOIN games g ON g.id = d.game_id`,
		CountFrom: `FROM draw_alerts a`,
		Where:     w, Order: `a.last_at DESC, a.id`,
	}
	list, total, err := storage.List(ctx, s.PG.Pool, listing, scanAlert, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list alerts: %w", err)
	}
	return list, total, nil
}

func scanAlert(row pgx.CollectableRow) (Alert, error) {
	var a Alert
	var by uuid.NullUUID
	var at *time.Time
	var cause string
	err := row.Scan(
		&a.ID, &a.DrawID, &a.Game, &a.DrawNumber, &a.DrawTime, &a.Kind, &a.Detail, &cause, &a.Count, &a.FirstAt,
		&a.LastAt, &by, &at,
	)
	a.Cause = ParseCause(cause)
	a.AcknowledgedBy, a.AcknowledgedAt = by.UUID, models.Instant(at)
	a.DrawTime, a.FirstAt, a.LastAt = a.DrawTime.UTC(), a.FirstAt.UTC(), a.LastAt.UTC()
	return a, err
}

// Acknowledge marks an alert as seen. A repetition reopens it. Errors: ErrAlertNotFound.
func (s *Service) Acknowledge(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	return s.PG.Retried(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(
			ctx, `UPDATE draw_alerts SET acknowledged_by = $2, acknowledged_at = $3 WHERE id = $1`, id, by.UserID,
			s.Clock.Now(),
		)
		if err != nil {
			return fmt.Errorf("acknowledge alert: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return ErrAlertNotFound
		}
		return activity.RecordOperatorTx(
			ctx, tx, activity.Entry{Action: activity.DrawsAcknowledge, Target: id.String()},
		)
	})
}
