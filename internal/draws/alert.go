package draws

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

// execer is a pool or a transaction.
type execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// alert files what somebody should look at, once a draw and kind; again, it counts, and asks to be looked at
// anew if it was acknowledged.
func (s *Service) alert(ctx context.Context, draw uuid.UUID, kind, detail string) error {
	return s.alertTx(ctx, s.PG.Pool, draw, kind, detail)
}

func (s *Service) alertTx(ctx context.Context, db execer, draw uuid.UUID, kind, detail string) error {
	_, err := db.Exec(ctx, `INSERT INTO draw_alerts (id, draw_id, kind, detail, first_at, last_at) VALUES ($1, $2, $3, $4, $5, $5)
		ON CONFLICT (draw_id, kind) DO UPDATE SET count = draw_alerts.count + 1, last_at = excluded.last_at, detail = excluded.detail,
			acknowledged_by = NULL, acknowledged_at = NULL`, uuid.Must(uuid.NewV7()), draw, kind, detail, s.Clock.Now())
	if err != nil {
		return fmt.Errorf("alert %s: %w", kind, err)
	}
	return nil
}
