package bank

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Alert is a security alert for operators. It counts the occurrences of one hour.
type Alert struct {
	ID             uuid.UUID
	Kind           string
	Address        string    // an IPv4 address, the network of an IPv6 subscriber, or "(many)"
	SubjectID      uuid.UUID // the payment that caused it; Nil if none
	Count          int64
	FirstSeenAt    time.Time
	LastSeenAt     time.Time
	AcknowledgedBy uuid.UUID
	AcknowledgedAt time.Time
}

// AlertFilter selects alerts; zero fields select all.
type AlertFilter struct {
	Kind   string
	Open   bool // not acknowledged yet
	Limit  int
	Offset int
}

// Alerts returns a page of the alerts, the newest first, and the number of all. Errors: ErrOperatorOnly.
func (s *Service) Alerts(ctx context.Context, by caller.Caller, f *AlertFilter) ([]Alert, int64, error) {
	if err := requireOperator(by); err != nil {
		return nil, 0, err
	}
	q := s.PG.Gorm.WithContext(ctx).Model(&models.SecurityAlert{})
	if f.Kind != "" {
		q = q.Where("kind = ?", f.Kind)
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
			ID: r.ID, Kind: r.Kind, Address: r.Address, SubjectID: value(r.SubjectID), Count: r.Count, FirstSeenAt: r.FirstSeenAt.UTC(),
			LastSeenAt: r.LastSeenAt.UTC(), AcknowledgedBy: value(r.AcknowledgedBy), AcknowledgedAt: value(r.AcknowledgedAt).UTC(),
		}
	}
	return list, total, nil
}

// RaiseAlert adds count to the current hour's alert of a kind about a source, such as an address.
func (s *Service) RaiseAlert(ctx context.Context, kind, source string, count int) error {
	now := s.Clock.Now()
	_, err := s.PG.Pool.Exec(ctx, upsertAlert, uuid.Must(uuid.NewV7()), kind, source, uuid.Nil, now.Truncate(time.Hour), count, now, now)
	if err != nil {
		return fmt.Errorf("raise alert %s: %w", kind, err)
	}
	return nil
}

// Acknowledge marks an alert as seen. A repetition within the same hour reopens it. Errors: ErrAlertNotFound,
// ErrOperatorOnly.
func (s *Service) Acknowledge(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	if err := requireOperator(by); err != nil {
		return err
	}
	return s.PG.InTx(ctx, func(tx pgx.Tx) error {
		var kind string
		err := tx.QueryRow(ctx, `UPDATE security_alerts SET acknowledged_by = $2, acknowledged_at = $3 WHERE id = $1 RETURNING kind`,
			id, by.UserID, s.Clock.Now()).Scan(&kind)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrAlertNotFound
		}
		if err != nil {
			return fmt.Errorf("acknowledge alert: %w", err)
		}
		return recordTx(ctx, tx, by, activity.BankAlertsAcknowledge, id.String(), map[string]string{"kind": kind})
	})
}
