package messaging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/phone"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Estimate counts the messages that a resend would send.
type Estimate struct {
	Total int64
	Codes []CodeCount // by the code of the error, the most frequent first
}

// CodeCount is how many messages have an error code.
type CodeCount struct {
	Code  string
	Count int64
}

// Resend is a resend of the messages of a filter.
type Resend struct {
	ID         uuid.UUID
	UserName   string
	Filter     Filter
	Total      int64 // at the request
	Done       int64
	CreatedAt  time.Time
	FinishedAt *time.Time
}

// selection is the condition of what a caller's filter can send again. Errors: ErrNotBulk.
func (f *Filter) selection(scope caller.Scope, after, last uuid.UUID) (*storage.Where, error) {
	if f.Status != models.MessageFailed && f.Status != models.MessageUnknown {
		return nil, ErrNotBulk
	}
	w := &storage.Where{}
	w.And(`e.path LIKE ` + w.Arg(scope.Pattern()))
	f.where(w)
	w.And(`m.id > ` + w.Arg(after) + ` AND m.id <= ` + w.Arg(last))
	return w, nil
}

const resendable = ` FROM message_logs m JOIN entities e ON e.id = m.entity_id`

// EstimateResend counts what a resend would send again and changes nothing. Errors: ErrNotBulk, org.ErrEntityNotFound.
func (s *Service) EstimateResend(ctx context.Context, by caller.Caller, f Filter) (*Estimate, error) {
	if err := s.reachable(ctx, by, f.EntityID); err != nil {
		return nil, err
	}
	w, err := f.selection(by.Scope, uuid.Nil, uuid.Max)
	if err != nil {
		return nil, err
	}
	rows, err := s.deps.Pool.Query(
		ctx, `SELECT coalesce(m.error_code, ''), count(*)`+resendable+w.SQL()+` GROUP BY 1 ORDER BY 2 DESC, 1`,
		w.Args()...,
	)
	if err != nil {
		return nil, fmt.Errorf("messaging: estimate: %w", err)
	}
	e := &Estimate{}
	if e.Codes, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CodeCount]); err != nil {
		return nil, fmt.Errorf("messaging: estimate: %w", err)
	}
	for _, c := range e.Codes {
		e.Total += c.Count
	}
	return e, nil
}

// reachable refuses an entity outside of the caller's scope.
func (s *Service) reachable(ctx context.Context, by caller.Caller, entity uuid.UUID) error {
	if entity == uuid.Nil {
		return nil
	}
	_, err := s.deps.Org.Entity(ctx, by, entity)
	return err
}

// ResendMany enqueues a task that resends the resendable messages of a filter. key is the client's idempotency key.
// Messages of unknown outcome may arrive twice, so they are resent only if the filter names their status. Errors:
// errors of EstimateResend and idempotency, ErrNothing.
func (s *Service) ResendMany(ctx context.Context, by caller.Caller, f Filter, key string) (*Resend, bool, error) {
	filter, err := json.Marshal(f)
	if err != nil {
		return nil, false, fmt.Errorf("messaging: filter: %w", err)
	}
	id, err := idempotency.KeyOf(by.EntityID, key)
	if err != nil {
		return nil, false, err
	}
	defer s.keys.Lock(id)()
	use := idempotency.Use{Key: id, Meaning: idempotency.Of("message resend", by.UserID.String(), string(filter))}
	replay := func(ctx context.Context, first *idempotency.Answer) (*Resend, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return s.GetResend(ctx, by, id)
	}
	return idempotency.Once(ctx, s.deps.Pool, use, replay, func() (*Resend, error) {
		estimate, err := s.EstimateResend(ctx, by, f)
		if err != nil {
			return nil, err
		}
		if estimate.Total == 0 {
			return nil, ErrNothing
		}
		return s.startResend(ctx, by, &f, estimate.Total, use)
	})
}

func (s *Service) startResend(
	ctx context.Context, by caller.Caller, f *Filter, total int64, use idempotency.Use,
) (*Resend, error) {
	id := uuid.Must(uuid.NewV7())
	row, err := outbox.NewRow(tasks.MessageResend{ResendID: id})
	if err != nil {
		return nil, err
	}
	recorded := *f // masked, because the activity log is append-only
	recorded.Recipient = phone.Mask(f.Recipient)
	filter, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("messaging: filter: %w", err)
	}
	err = storage.Retry(ctx, func() error {
		return pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO message_resends (id, entity_id, user_id, user_name, scope, filter, last_id, cursor, total, created_at)
				VALUES ($1, $2, $3, $4, $5, $6, $1, $7, $8, now())`, id, by.EntityID, by.UserID, by.Name, by.Scope.Path(), filter, uuid.Nil, total)
			if err != nil {
				return fmt.Errorf("messaging: resend: %w", err)
			}
			if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: id[:]}); err != nil {
				return err
			}
			if err := outbox.EnqueueTx(ctx, tx, row); err != nil {
				return err
			}
			return activity.RecordPgxTx(ctx, tx, activity.Entry{
				Action: activity.MessagingResendMany, EntityID: by.EntityID, Target: id.String(),
				Details: map[string]any{"filter": recorded, "total": total},
			})
		})
	})
	if err != nil {
		return nil, err
	}
	s.deps.Wake()
	return s.GetResend(ctx, by, id)
}

// GetResend returns a resend of the caller's entity. Errors: ErrResendNotFound.
func (s *Service) GetResend(ctx context.Context, by caller.Caller, id uuid.UUID) (*Resend, error) {
	rows, err := s.deps.Pool.Query(ctx, `SELECT `+resendColumns+` FROM message_resends WHERE id = $1 AND entity_id = $2`,
		id, by.EntityID)
	if err != nil {
		return nil, fmt.Errorf("messaging: resend: %w", err)
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Resend])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrResendNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("messaging: resend: %w", err)
	}
	return r, nil
}

// Resends returns the newest resends of the caller's entity.
func (s *Service) Resends(ctx context.Context, by caller.Caller, limit int) ([]Resend, error) {
	rows, err := s.deps.Pool.Query(
		ctx, `SELECT `+resendColumns+` FROM message_resends WHERE entity_id = $1 ORDER BY id DESC LIMIT $2`,
		by.EntityID, min(limit, maxPage),
	)
	if err != nil {
		return nil, fmt.Errorf("messaging: resends: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Resend])
	if err != nil {
		return nil, fmt.Errorf("messaging: resends: %w", err)
	}
	return list, nil
}

const resendColumns = `id, user_name, filter, total, done, created_at, finished_at`

// RunResend is the handler of message.resend. Every batch is found behind the cursor and queued in the transaction
// that moves the cursor.
func (s *Service) RunResend(ctx context.Context, id uuid.UUID) error {
	for {
		more, err := s.resendBatch(ctx, id)
		if err != nil {
			return fmt.Errorf("messaging: resend: %w", err)
		}
		if !more {
			return nil
		}
	}
}

// currentSQL reads an unfinished resend with the current path of its user's entity. A batch skips messages of entities
// that were moved away from below it.
const currentSQL = `SELECT r.filter, coalesce((SELECT e.path FROM entities e WHERE e.id = r.entity_id), r.scope), r.last_id, r.cursor, r.created_at
	FROM message_resends r WHERE r.id = $1 AND r.finished_at IS NULL FOR UPDATE OF r`

func (s *Service) resendBatch(ctx context.Context, id uuid.UUID) (more bool, err error) {
	var moved []movedMessage
	err = pgx.BeginFunc(ctx, s.deps.Pool, func(tx pgx.Tx) error {
		var filter Filter
		var path string
		var last, cursor uuid.UUID
		var asked time.Time
		err := tx.QueryRow(ctx, currentSQL, id).Scan(&filter, &path, &last, &cursor, &asked)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it is finished
		}
		if err != nil {
			return err
		}
		scope, err := caller.ParseScope(path)
		if err != nil {
			return err
		}
		w, err := filter.selection(scope, cursor, last)
		if err != nil {
			return err
		}
		w.And(`m.updated_at <= ` + w.Arg(asked)) // later failures were neither counted nor seen
		if moved, err = requeueTx(ctx, tx, w); err != nil {
			return err
		}
		if more = len(moved) == sweepBatch; !more {
			_, err = tx.Exec(
				ctx, `UPDATE message_resends SET done = done + $2, cursor = last_id, finished_at = now() WHERE id = $1`,
				id, len(moved),
			)
			return err
		}
		_, err = tx.Exec(
			ctx, `UPDATE message_resends SET done = done + $2, cursor = $3 WHERE id = $1`, id, len(moved),
			greatest(moved),
		)
		return err
	})
	if err != nil {
		return false, err
	}
	if len(moved) > 0 {
		s.deps.Wake()
	}
	for _, m := range moved {
		s.moved(ctx, m.EntityID, m.ID, models.MessageQueued)
	}
	return more, nil
}

// movedMessage is a message that was queued again.
type movedMessage struct{ ID, EntityID uuid.UUID }

func greatest(list []movedMessage) (id uuid.UUID) {
	for _, m := range list {
		if m.ID.String() > id.String() {
			id = m.ID
		}
	}
	return id
}

// requeueTx queues a batch of a selection again, each message with a task.
func requeueTx(ctx context.Context, tx pgx.Tx, w *storage.Where) ([]movedMessage, error) {
	rows, err := tx.Query(ctx, `UPDATE message_logs m SET `+requeueSet+`
		FROM (SELECT m.id`+resendable+w.SQL()+` ORDER BY m.id LIMIT `+w.Arg(sweepBatch)+` FOR UPDATE OF m) again
		WHERE m.id = again.id RETURNING m.id, m.entity_id`, w.Args()...)
	if err != nil {
		return nil, err
	}
	moved, err := pgx.CollectRows(rows, pgx.RowToStructByPos[movedMessage])
	if err != nil || len(moved) == 0 {
		return nil, err
	}
	ids := make([]uuid.UUID, len(moved))
	for i, m := range moved {
		ids[i] = m.ID
	}
	return moved, enqueueSends(ctx, tx, ids, nil)
}
