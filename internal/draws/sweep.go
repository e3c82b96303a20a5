package draws

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/tasks"
)

// overdue returns the tasks of draws that are late, because they were lost or archived or because no worker ran:
// settlements, refunds, attempts to fetch a result, closings in the external system, and derived results.
func (s *Service) overdue(ctx context.Context) ([]tasks.Args, error) {
	now := s.Clock.Now()
	settle := func(id uuid.UUID) tasks.Args { return tasks.DrawSettle{DrawID: id} }
	refund := func(id uuid.UUID) tasks.Args { return tasks.DrawRefund{DrawID: id} }
	poll := func(id uuid.UUID) tasks.Args { return tasks.ResultPoll{DrawID: id} }
	closeExternal := func(id uuid.UUID) tasks.Args { return tasks.DrawCloseExternal{DrawID: id} }
	var list []tasks.Args
	for _, late := range []struct {
		task  func(id uuid.UUID) tasks.Args
		where string
		args  []any
	}{
		// A settlement with a broken seal fails again until an operator acts.
		{settle, `status = 'resulted' AND updated_at < $1` + unlessAlerted, []any{now.Add(-overdueAfter), models.AlertSealBroken}},
		{refund, `status = 'suspended' AND refunded_at IS NULL AND suspended_at < $1`, []any{now.Add(-overdueAfter)}},
		{poll, `status = 'closed' AND poll_next_at < $1`, []any{now.Add(-missedAfter)}},
		{
			closeExternal, `closed_at > $2 AND external_closed_at IS NULL AND external_attempts < $3 AND coalesce(external_next_at, closed_at) < $1`,
			[]any{now.Add(-missedAfter), now.Add(-closeOutsideFor), maxCloseAttempts},
		},
	} {
		ids, err := s.ids(ctx, `SELECT id FROM draws WHERE `+late.where+` ORDER BY draw_time LIMIT 100`, late.args...)
		if err != nil {
			return nil, fmt.Errorf("overdue draws: %w", err)
		}
		for _, id := range ids {
			list = append(list, late.task(id))
		}
	}
	derive, err := s.ids(ctx, missingDerivations, now.Add(-overdueAfter), models.AlertMalformed, now.Add(-deriveFor))
	if err != nil {
		return nil, fmt.Errorf("overdue derivations: %w", err)
	}
	for _, id := range derive {
		list = append(list, tasks.ResultDerive{ResultID: id})
	}
	return list, nil
}

// unlessAlerted excludes draws with an open alert of kind $2, which need an operator. After the alert is acknowledged,
// the sweep tries again.
const unlessAlerted = ` AND NOT EXISTS (SELECT 1 FROM draw_alerts a WHERE a.draw_id = draws.id AND a.kind = $2 AND a.acknowledged_at IS NULL)`

// missingDerivations selects the verified results from which a result of another draw is still to be derived.
const missingDerivations = `SELECT DISTINCT base.result_id FROM draws JOIN games g ON g.id = draws.game_id JOIN games b ON b.short_code = g.mechanics -> 'derived_from' ->> 'game'
	JOIN draws base ON base.game_id = b.id AND base.draw_time = draws.draw_time
	WHERE draws.status = 'closed' AND draws.result_id IS NULL AND draws.draw_time > $3 AND base.result_id IS NOT NULL AND base.updated_at < $1` + unlessAlerted + ` LIMIT 100`

// deriveFor is how long after a draw the sweep still derives its result.
const deriveFor = 7 * 24 * time.Hour

// missedAfter is how late the task of an attempt may be before the sweep enqueues another. Both tasks may run, because
// only one of them can claim the attempt.
const missedAfter = 30 * time.Second

// closeOutsideFor is how long after its closing a draw is still closed in the external system.
const closeOutsideFor = 6 * time.Hour

// overdueAfter is how long after its cause a settlement, refund or derivation counts as overdue.
const overdueAfter = 10 * time.Minute

// resultWithin is how long after its time a draw that is not polled may be without a verified result.
const resultWithin = 30 * time.Minute

// withoutResult selects the draws whose result is late, that are not polled and that have no alert: draws of games
// without sources, and draws with a result that awaits its verification.
const withoutResult = `SELECT d.id, EXISTS (SELECT 1 FROM results r WHERE r.draw_id = d.id AND r.status = 'proposed') FROM draws d
	WHERE d.status = 'closed' AND d.result_id IS NULL AND d.poll_next_at IS NULL AND d.draw_time < $1 AND d.draw_time > $2
		AND NOT EXISTS (SELECT 1 FROM draw_alerts a WHERE a.draw_id = d.id AND a.kind = $3) ORDER BY d.draw_time LIMIT 100`

// alertWithoutResult adds an alert for each draw whose result is late.
func (s *Service) alertWithoutResult(ctx context.Context) error {
	now := s.Clock.Now()
	rows, err := s.PG.Pool.Query(ctx, withoutResult, now.Add(-resultWithin), now.Add(-deriveFor), models.AlertNoResult)
	if err != nil {
		return fmt.Errorf("draws without result: %w", err)
	}
	type late struct {
		ID       uuid.UUID
		Proposed bool
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[late])
	if err != nil {
		return fmt.Errorf("draws without result: %w", err)
	}
	for _, d := range list {
		detail := fmt.Sprintf(lateDetail, int(resultWithin.Minutes()))
		if d.Proposed {
			detail = fmt.Sprintf(unverifiedDetail, int(resultWithin.Minutes()))
		}
		if err := s.alert(ctx, d.ID, models.AlertNoResult, detail); err != nil {
			return err
		}
	}
	return nil
}

// Sweep enqueues overdue tasks again and returns their number. It adds an alert for each draw whose result is late. It
// is idempotent, because the tasks are.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	if err := s.alertWithoutResult(ctx); err != nil {
		return 0, err
	}
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
