package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/tasks"
)

// overdue lists the tasks of draws that should have been done by now and were not: settlements and refunds whose
// tasks were lost or used up.
func (s *Service) overdue(ctx context.Context) ([]tasks.Args, error) {
	before := s.Clock.Now().Add(-overdueAfter)
	var list []tasks.Args
	for _, late := range []struct {
		where string
		task  func(id string) tasks.Args
	}{
		{`status = 'resulted' AND updated_at < $1`, func(id string) tasks.Args { return tasks.DrawSettle{DrawID: id} }},
		{`status = 'suspended' AND refunded_at IS NULL AND suspended_at < $1`, func(id string) tasks.Args { return tasks.DrawRefund{DrawID: id} }},
	} {
		ids, err := s.ids(ctx, `SELECT id FROM draws WHERE `+late.where+` ORDER BY draw_time LIMIT 100`, before)
		if err != nil {
			return nil, fmt.Errorf("overdue draws: %w", err)
		}
		for _, id := range ids {
			list = append(list, late.task(id.String()))
		}
	}
	return list, nil
}

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
