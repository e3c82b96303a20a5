package outbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"banca/internal/platform/telemetry"
	"banca/models"
)

// insertSQL writes any number of rows with one statement, whose text, and so its plan, is always the same.
const insertSQL = `INSERT INTO outbox (id, kind, payload, process_at, trace)
	SELECT unnest($1::uuid[]), unnest($2::text[]), unnest($3::jsonb[]), unnest($4::timestamptz[]), unnest($5::text[])`

// gormBatch bounds the parameters of one statement; Postgres allows 65,535.
const gormBatch = 500

// Execer is a connection, pool or transaction.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// EnqueueTx writes rows in the caller's transaction. They are seen by a relay once it is committed; call
// Notifier.Wake then, never before.
func EnqueueTx(ctx context.Context, tx pgx.Tx, rows ...Row) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, insertSQL, insertArgs(traced(ctx, rows))...); err != nil {
		return fmt.Errorf("outbox: insert: %w", err)
	}
	return nil
}

// QueueInsert adds the same insert to a batch, for a caller that sends all of its statements at once. It adds one
// statement, or none if rows is empty.
func QueueInsert(b *pgx.Batch, rows []Row) {
	if len(rows) > 0 {
		b.Queue(insertSQL, insertArgs(rows)...)
	}
}

// EnqueueGormTx is EnqueueTx for a gorm transaction.
func EnqueueGormTx(tx *gorm.DB, rows ...Row) error {
	if len(rows) == 0 {
		return nil
	}
	records := make([]models.Outbox, len(rows))
	for i, r := range traced(tx.Statement.Context, rows) {
		records[i] = models.Outbox{
			ID: r.ID, Kind: r.Kind, Payload: r.Payload, ProcessAt: models.Optional(r.ProcessAt),
			Trace: models.Optional(r.Trace),
		}
	}
	err := tx.Select("ID", "Kind", "Payload", "ProcessAt", "Trace").CreateInBatches(records, gormBatch).Error
	if err != nil {
		return fmt.Errorf("outbox: insert: %w", err)
	}
	return nil
}

// EnqueueOnce writes the rows whose ids do not exist yet and returns their number. It is for ids that several
// processes derive alike; see WithID.
func EnqueueOnce(ctx context.Context, db Execer, rows ...Row) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	tag, err := db.Exec(ctx, insertSQL+" ON CONFLICT (id) DO NOTHING", insertArgs(traced(ctx, rows))...)
	if err != nil {
		return 0, fmt.Errorf("outbox: insert: %w", err)
	}
	return tag.RowsAffected(), nil
}

// insertArgs turns rows into the columns that insertSQL unnests.
func insertArgs(rows []Row) []any {
	ids := make([]uuid.UUID, len(rows))
	kinds := make([]string, len(rows))
	payloads := make([]string, len(rows))
	times := make([]*time.Time, len(rows))
	traces := make([]*string, len(rows))
	for i, r := range rows {
		ids[i], kinds[i], payloads[i], times[i], traces[i] = r.ID, r.Kind, string(r.Payload), models.Optional(r.ProcessAt), models.Optional(r.Trace)
	}
	return []any{ids, kinds, payloads, times, traces}
}

// traced makes rows parts of the trace that ctx belongs to, if they have none of their own.
func traced(ctx context.Context, rows []Row) []Row {
	trace := telemetry.TraceOf(ctx)
	if trace == "" {
		return rows
	}
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Trace = cmp.Or(rows[i].Trace, trace)
	}
	return rows
}
