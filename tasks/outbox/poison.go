package outbox

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/tasks"
)

// maxAttempts is how often a row that this release does not understand is tried before it is moved aside.
// With the delays of putOffDelay that takes about a quarter of an hour: longer than the overlap of two
// releases, when an older relay may meet a newer task.
const maxAttempts = 10

const (
	firstPutOff = time.Second
	maxPutOff   = 5 * time.Minute
	maxErrorLen = 500 // bytes of an error kept with its row
)

const putOffSQL = `UPDATE outbox o SET attempts = attempts + 1, last_error = f.error,
		retry_at = now() + make_interval(secs => f.seconds)
	FROM unnest($1::uuid[], $2::text[], $3::float8[]) AS f (id, error, seconds) WHERE o.id = f.id`

const buryRowsSQL = `WITH dead AS (DELETE FROM outbox WHERE id = ANY($1)
		RETURNING id, kind, payload, process_at, attempts + 1 AS attempts, last_error, created_at)
	INSERT INTO outbox_dead (id, kind, payload, process_at, attempts, last_error, created_at)
	SELECT id, kind, payload, process_at, attempts, coalesce(last_error, ''), created_at FROM dead`

// incomprehensible reports whether a row failed because this release cannot read it, which trying again
// here will not change.
func incomprehensible(err error) bool {
	return errors.Is(err, tasks.ErrUnknownKind) || errors.Is(err, tasks.ErrBadPayload)
}

// putOff reschedules every failed row with a growing delay, and moves a row that could not be decoded maxAttempts
// times to outbox_dead. A row that the queue refused is retried without a bound, because the row is valid and the
// queue may recover.
func (r *Relay) putOff(ctx context.Context, tx pgx.Tx, rows []taken) error {
	var later putOffs
	var dead []uuid.UUID
	for i := range rows {
		t := &rows[i]
		if t.err == nil {
			continue
		}
		if incomprehensible(t.err) && t.attempts+1 >= maxAttempts {
			dead = append(dead, t.id)
			r.log.ErrorContext(ctx, "outbox: row moved to outbox_dead", t.attrs()...)
			continue
		}
		later.add(t)
		if t.attempts == 0 {
			r.log.WarnContext(ctx, "outbox: row put off", t.attrs()...)
		}
	}
	return errors.Join(later.write(ctx, tx), buryRows(ctx, tx, dead))
}

// attrs describes the row in a log, without its payload.
func (t *taken) attrs() []any {
	return []any{slog.String("id", t.id.String()), slog.String("kind", t.kind), slog.Any("error", t.err)}
}

// putOffs are the columns of putOffSQL.
type putOffs struct {
	ids     []uuid.UUID
	errors  []string
	seconds []float64
}

func (p *putOffs) add(t *taken) {
	p.ids = append(p.ids, t.id)
	p.errors = append(p.errors, models.Clip(t.err.Error(), maxErrorLen))
	p.seconds = append(p.seconds, putOffDelay(t.attempts).Seconds())
}

func (p *putOffs) write(ctx context.Context, tx pgx.Tx) error {
	if len(p.ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, putOffSQL, p.ids, p.errors, p.seconds)
	return err
}

func buryRows(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, buryRowsSQL, ids)
	return err
}

// putOffDelay doubles from one second to five minutes.
func putOffDelay(attempts int) time.Duration {
	if attempts >= 9 { // 1 s << 9 is beyond the bound
		return maxPutOff
	}
	return min(firstPutOff<<attempts, maxPutOff)
}
