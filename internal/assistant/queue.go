package assistant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/tasks"
	"banca/tasks/outbox"
)

// Bounds of waiting.
const (
	maxRunning  = 4                      // runs in a process: models are slow, and other tasks wait for the same workers
	maxWait     = 2 * time.Minute        // of a question for a place
	firstWait   = time.Second            // between two tasks of a waiting question,
	waitEach    = 200 * time.Millisecond // with so much for each question that waits,
	longestWait = 15 * time.Second       // and no more
	retryAfter  = 5 * time.Second        // a failed run
	maxCounted  = 100                    // waiting questions
)

// Answer is the task assistant.answer. It answers the message that waits longest, which may be another one than its
// own; an unfinished message of its own then gets another task. A message is answered by one run, and a run that
// failed or died is repeated once. Errors: errors of Postgres.
func (s *Service) Answer(ctx context.Context, id uuid.UUID) error {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		return s.wait(ctx, id)
	}
	r, err := s.claim(ctx, id)
	if err == nil && r == nil {
		r, err = s.claimOwn(ctx, id) // its row may have been locked for a moment
	}
	if err != nil {
		return err
	}
	switch {
	case r == nil: // finished, or another run of it is alive
		return s.again(ctx, id, alive)
	case r.id != id:
		if err := s.againInTurn(ctx, id); err != nil {
			return errors.Join(err, s.retry(ctx, r, err))
		}
	}
	return s.run(ctx, r)
}

// wait keeps a message for a later task, because no place is free. A message that has waited for maxWait is answered
// without a model, which is quick.
func (s *Service) wait(ctx context.Context, id uuid.UUID) error {
	var since time.Time
	err := s.PG.Pool.QueryRow(ctx, `SELECT created_at FROM assistant_messages WHERE id = $1 AND state = 'pending'`, id).Scan(&since)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return s.again(ctx, id, alive)
	case err != nil:
		return fmt.Errorf("read message: %w", err)
	case s.Clock.Now().Sub(since) < maxWait:
		return s.againInTurn(ctx, id)
	}
	r, err := s.claimOwn(ctx, id)
	if err != nil || r == nil {
		return err
	}
	r.late = true
	return s.run(ctx, r)
}

// againInTurn writes another task for a message that waits. The more messages wait, the later it comes, so that tasks
// of waiting messages stay few.
func (s *Service) againInTurn(ctx context.Context, id uuid.UUID) error {
	var waiting int64
	err := s.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT 1 FROM assistant_messages WHERE state = 'pending' LIMIT $1) w`, maxCounted).Scan(&waiting)
	if err != nil {
		return fmt.Errorf("count waiting messages: %w", err)
	}
	return s.again(ctx, id, min(firstWait+time.Duration(waiting)*waitEach, longestWait))
}

// again writes another task for an unfinished message, unless one comes anyway. It uses up no retry of the task that
// runs.
func (s *Service) again(ctx context.Context, id uuid.UUID, after time.Duration) error {
	now := s.Clock.Now()
	row, err := outbox.NewRow(tasks.AssistantAnswer{MessageID: id}, outbox.At(now.Add(after)))
	if err != nil {
		return err
	}
	written := false
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE assistant_messages SET task_at = $2, updated_at = CASE state WHEN 'pending' THEN clock_timestamp() ELSE updated_at END
			WHERE id = $1 AND state IN ('pending', 'running') AND (task_at IS NULL OR task_at <= $3)`, id, row.ProcessAt, now)
		if written = err == nil && tag.RowsAffected() > 0; !written {
			return err
		}
		return outbox.EnqueueTx(ctx, tx, row)
	})
	if err != nil {
		return fmt.Errorf("keep message for later: %w", err)
	}
	if written {
		s.Wake()
	}
	return nil
}

// claimSQL, a condition and claimedSQL begin a run of the message that the condition selects.
const claimSQL = `UPDATE assistant_messages m SET state = 'running', attempt = attempt + 1, updated_at = clock_timestamp()
	FROM assistant_conversations c WHERE c.id = m.conversation_id AND m.id = (SELECT id FROM assistant_messages WHERE `

// claim begins a run of the message that waits longest: a new one, one whose run died, or the one of the task, which
// may also be a repetition. It returns nil if there is none.
func (s *Service) claim(ctx context.Context, id uuid.UUID) (*run, error) {
	return s.begin(ctx, claimSQL+`state IN ('pending', 'running') AND (id = $1 AND state = 'pending'
			OR state = 'pending' AND attempt = 0 AND created_at > clock_timestamp() - make_interval(secs => $3)
			OR state = 'running' AND updated_at <= clock_timestamp() - make_interval(secs => $2) AND (id = $1 OR created_at > clock_timestamp() - make_interval(secs => $3)))
			ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)`+claimedSQL, id, alive.Seconds(), lost.Seconds())
}

// claimOwn begins a run of a message that waits. It returns nil if it does not wait any more.
func (s *Service) claimOwn(ctx context.Context, id uuid.UUID) (*run, error) {
	return s.begin(ctx, claimSQL+`id = $1 AND state = 'pending' FOR UPDATE)`+claimedSQL, id)
}

const claimedSQL = ` RETURNING m.id, m.attempt, m.conversation_id, c.user_id, c.entity_id, m.question, m.language`

func (s *Service) begin(ctx context.Context, sql string, args ...any) (*run, error) {
	r := &run{}
	err := s.PG.Pool.QueryRow(ctx, sql, args...).Scan(
		&r.id, &r.attempt, &r.conversation, &r.user, &r.entity, &r.question, &r.language,
	)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // nothing waits
	}
	if err != nil {
		return nil, fmt.Errorf("claim message: %w", err)
	}
	r.out = writer{redis: s.Redis, key: streamKey(r.id)}
	return r, nil
}
