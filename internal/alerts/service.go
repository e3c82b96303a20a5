package alerts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/models"
	"banca/storage"
)

// Errors of the domain.
var (
	ErrNotFound     = apperr.New(apperr.NotFound, "ALERT_NOT_FOUND", "no such alert")
	ErrOperatorOnly = apperr.New(apperr.Forbidden, "OPERATOR_ONLY", "only users of the operator may use the bank's operations")
)

// Deps are the dependencies of the Service.
type Deps struct {
	PG        *storage.Postgres
	Clock     clock.Clock
	Retention time.Duration // of an alert, after its last occurrence
}

// Service lists alerts and counts occurrences.
type Service struct{ deps Deps }

// New returns the service.
func New(d Deps) *Service { return &Service{d} }

// Alert is a security alert. It counts the occurrences of one hour.
type Alert struct {
	ID             uuid.UUID
	Kind           string
	Source         string    // such as an IPv4 address, the network of an IPv6 subscriber, or "(many)"
	SubjectID      uuid.UUID // the payment that caused it; Nil if none
	Count          int64
	FirstSeenAt    time.Time
	LastSeenAt     time.Time
	AcknowledgedBy uuid.UUID
	AcknowledgedAt time.Time
}

// Filter selects alerts; zero fields select all.
type Filter struct {
	Kind    string
	Without string // a kind that is left out
	Open    bool   // not acknowledged yet
	Limit   int
	Offset  int
}

// List returns a page of the alerts, the newest first, and the number of all. Errors: ErrOperatorOnly.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Alert, int64, error) {
	if !by.IsOperator() {
		return nil, 0, ErrOperatorOnly
	}
	q := s.deps.PG.Gorm.WithContext(ctx).Model(&models.SecurityAlert{})
	if f.Kind != "" {
		q = q.Where("kind = ?", f.Kind)
	}
	if f.Without != "" {
		q = q.Where("kind <> ?", f.Without)
	}
	if f.Open {
		q = q.Where("acknowledged_at IS NULL")
	}
	rows, total, err := storage.Find[models.SecurityAlert](q, "last_seen_at DESC, id DESC", f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list alerts: %w", err)
	}
	list := make([]Alert, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = Alert{
			ID: r.ID, Kind: r.Kind, Source: r.Address, SubjectID: models.Value(r.SubjectID), Count: r.Count,
			FirstSeenAt: r.FirstSeenAt.UTC(), LastSeenAt: r.LastSeenAt.UTC(),
			AcknowledgedBy: models.Value(r.AcknowledgedBy), AcknowledgedAt: models.Value(r.AcknowledgedAt).UTC(),
		}
	}
	return list, total, nil
}

// Acknowledge marks an alert as seen. A repetition within the same hour reopens it. Errors: ErrNotFound,
// ErrOperatorOnly.
func (s *Service) Acknowledge(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	if !by.IsOperator() {
		return ErrOperatorOnly
	}
	return s.deps.PG.InTx(ctx, func(tx pgx.Tx) error {
		var kind string
		err := tx.QueryRow(ctx, `UPDATE security_alerts SET acknowledged_by = $2, acknowledged_at = $3
			WHERE id = $1 RETURNING kind`, id, by.UserID, s.deps.Clock.Now()).Scan(&kind)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return fmt.Errorf("acknowledge alert: %w", err)
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: activity.BankAlertsAcknowledge, EntityID: by.EntityID, Target: id.String(),
			Details: map[string]string{"kind": kind},
		})
	})
}
