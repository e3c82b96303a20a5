package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/tasks"
)

// overdue lists the tasks of draws that should have been done by now and were not, because their tasks were lost,
// used up, or never ran while everything was down: settlements, refunds, attempts to fetch a result, and the
// closing outside.
func (s *Service) overdue(ctx context.Context) ([]tasks.Args, error) {
	now := s.Clock.Now()
	settle := func(id string) tasks.Args { return tasks.DrawSettle{DrawID: id} }
	refund := func(id string) tasks.Args { return tasks.DrawRefund{DrawID: id} }
	poll := func(id string) tasks.Args { return tasks.ResultPoll{DrawID: id} }
	tell := func(id string) tasks.Args { return tasks.DrawCloseExternal{DrawID: id} }
	var list []tasks.Args
	for _, late := range []struct {
		task  func(id string) tasks.Args
		where string
		args  []any
	}{
		{ // a broken seal does not mend by trying again; who has looked at it acknowledges the alert
			settle, `status = 'resulted' AND updated_at < $1 AND NOT EXISTS (SELECT 1 FROM draw_alerts a WHERE a.draw_id = draws.id
				AND a.kind = $2 AND a.acknowledged_at IS NULL)`, []any{now.Add(-overdueAfter), models.AlertSealBroken},
		},
		{refund, `status = 'suspended' AND refunded_at IS NULL AND suspended_at < $1`, []any{now.Add(-overdueAfter)}},
		{poll, `status = 'closed' AND poll_next_at < $1`, []any{now.Add(-missedAfter)}},
		{
			tell, `closed_at > $2 AND external_closed_at IS NULL AND external_attempts < $3 AND coalesce(external_next_at, closed_at) < $1`,
			[]any{now.Add(-missedAfter), now.Add(-closeOutsideFor), maxCloseAttempts},
		},
	} {
		ids, err := s.ids(ctx, `SELECT id FROM draws WHERE `+late.where+` ORDER BY draw_time LIMIT 100`, late.args...)
		if err != nil {
			return nil, fmt.Errorf("overdue draws: %w", err)
		}
		for _, id := range ids {
			list = append(list, late.task(id.String()))
		}
	}
	return list, nil
}

// missedAfter is how late the exact task of an attempt may be before the sweep takes its place. Both may run: the
// attempt is claimed once.
const missedAfter = 30 * time.Second

// closeOutsideFor is how long after its closing a draw is still told to the external system.
const closeOutsideFor = 6 * time.Hour

// overdueAfter is how long a settlement or refund may take before it counts as forgotten.
const overdueAfter = 10 * time.Minute

// Sweep enqueues again what is overdue, and returns how much that is. Safe to repeat: the tasks are.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	list, err := s.overdue(ctx)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	if err := s.PG.InTx(ctx, func(tx pgx.Tx) error { return enqueueTx(ctx, tx, list...) }); err != nil {
		return 0, fmt.Errorf("sweep draws: %w", err)
	}
	s.Wake()
	return len(list), nil
}
