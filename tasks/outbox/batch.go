package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/telemetry"
	"banca/tasks"
)

// errQueueDown reports that nothing could be enqueued and the queue does not answer.
var errQueueDown = errors.New("outbox: the queue is down")

const dueSQL = `SELECT EXISTS (SELECT FROM outbox WHERE retry_at IS NULL OR retry_at <= now())`

const takeSQL = `SELECT id, kind, payload, process_at, attempts, coalesce(trace, '') FROM outbox
	WHERE retry_at IS NULL OR retry_at <= now() ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`

// taken is a locked row, and what became of it.
type taken struct {
	id        uuid.UUID
	kind      string
	payload   []byte
	processAt *time.Time
	attempts  int
	trace     string
	err       error // nil when the task is in the queue
}

// due reports whether a batch would find a row.
func (r *Relay) due(ctx context.Context) (due bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	err = r.pool.QueryRow(ctx, dueSQL).Scan(&due)
	return due, err
}

// moveBatch moves one batch and returns how many rows it took. An error means that the relay should back
// off: a database does not answer. Rows that failed for themselves are put off and are no error.
func (r *Relay) moveBatch(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	count := 0
	down := false
	ctx, stage := telemetry.OutboxBatches.Begin(ctx, "move")
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		rows, err := take(ctx, tx, r.config.Batch)
		if err != nil || len(rows) == 0 {
			return err
		}
		count = len(rows)
		r.enqueueAll(ctx, rows)
		countMoved(rows)
		if down = r.queueFailed(rows); down {
			return moveSent(ctx, tx, rows) // what got through is not held back by what did not
		}
		return errors.Join(moveSent(ctx, tx, rows), r.putOff(ctx, tx, rows))
	})
	stage.End(err)
	if err != nil {
		return count, fmt.Errorf("outbox: move: %w", err)
	}
	if down {
		return count, errQueueDown
	}
	return count, nil
}

// countMoved adds the rows of a batch to the metrics.
func countMoved(rows []taken) {
	var sent int64
	for i := range rows {
		if rows[i].err == nil {
			sent++
		}
	}
	telemetry.OutboxMoved.Add(sent, "sent")
	telemetry.OutboxMoved.Add(int64(len(rows))-sent, "put_off")
}

// take locks up to limit due rows, oldest first.
func take(ctx context.Context, tx pgx.Tx, limit int) ([]taken, error) {
	rows, err := tx.Query(ctx, takeSQL, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (taken, error) {
		var t taken
		err := row.Scan(&t.id, &t.kind, &t.payload, &t.processAt, &t.attempts, &t.trace)
		return t, err
	})
}

// enqueueAll enqueues rows in parallel and notes the result in each.
func (r *Relay) enqueueAll(ctx context.Context, rows []taken) {
	var workers sync.WaitGroup
	for w := range min(enqueuers, len(rows)) {
		workers.Go(func() {
			for i := w; i < len(rows); i += enqueuers {
				rows[i].err = r.enqueue(ctx, &rows[i])
			}
		})
	}
	workers.Wait()
}

// enqueue adds one row's task to the queue. A task with the same id is the same task, enqueued by a relay that was
// stopped before it could delete the row.
func (r *Relay) enqueue(ctx context.Context, t *taken) error {
	task, err := tasks.FromPayload(t.kind, t.payload, telemetry.Headers(t.trace))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, enqueueTimeout)
	defer cancel()
	opts := []asynq.Option{asynq.TaskID(t.id.String())}
	if t.processAt != nil {
		opts = append(opts, asynq.ProcessAt(*t.processAt))
	}
	_, err = r.queue.EnqueueContext(ctx, task, opts...)
	if errors.Is(err, asynq.ErrTaskIDConflict) || errors.Is(err, asynq.ErrDuplicateTask) {
		return nil
	}
	return err
}

// queueFailed reports whether the failures of a batch are the queue's: some row failed although this
// release understands it, and the queue does not answer a ping. While it answers, they are the rows' own.
func (r *Relay) queueFailed(rows []taken) bool {
	for i := range rows {
		if rows[i].err != nil && !incomprehensible(rows[i].err) {
			return r.queue.Ping() != nil
		}
	}
	return false
}

// moveSentSQL keeps the rows whose tasks are in the queue in outbox_sent until a worker finishes them. A task whose id
// was enqueued before, as the closing of a draw that was planned again, keeps one row.
const moveSentSQL = `WITH gone AS (DELETE FROM outbox WHERE id = ANY($1) RETURNING id, kind, payload, process_at, created_at)
	INSERT INTO outbox_sent (id, kind, payload, process_at, created_at, sent_at, checked_at, check_at)
	SELECT id, kind, payload, process_at, created_at, at AS sent_at, at AS checked_at, at + make_interval(secs => $2) FROM gone, now() AS at
	ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, payload = excluded.payload, process_at = excluded.process_at,
		sent_at = excluded.sent_at, check_at = excluded.check_at, checked_at = excluded.checked_at, missed = false`

// moveSent moves the rows whose tasks are in the queue to outbox_sent.
func moveSent(ctx context.Context, tx pgx.Tx, rows []taken) error {
	ids := make([]uuid.UUID, 0, len(rows))
	for i := range rows {
		if rows[i].err == nil {
			ids = append(ids, rows[i].id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, moveSentSQL, ids, firstCheck.Seconds())
	return err
}
