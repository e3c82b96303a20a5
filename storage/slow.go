package storage

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/clock"
)

const (
	slowStatement = 200 * time.Millisecond
	maxLoggedSQL  = 1000 // bytes of a statement that go into the log
)

// slowTracer logs statements and batches that take long, from pgx and gorm alike. It logs their text, in
// which values are placeholders, and never the values: those are personal data and money.
type slowTracer struct {
	log       *slog.Logger
	threshold time.Duration
}

// traceKey is the context key of a running statement's trace.
type traceKey struct{}

// trace is the start of a statement.
type trace struct {
	start time.Time
	sql   string
}

// TraceQueryStart implements pgx.QueryTracer.
func (t *slowTracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return context.WithValue(ctx, traceKey{}, trace{start: clock.System{}.Now(), sql: data.SQL})
}

// TraceQueryEnd implements pgx.QueryTracer.
func (t *slowTracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	t.end(ctx, data.CommandTag.RowsAffected())
}

// TraceBatchStart implements pgx.BatchTracer. The log names a batch by its first statement.
func (t *slowTracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	first := ""
	if data.Batch.Len() > 0 {
		first = "batch: " + data.Batch.QueuedQueries[0].SQL
	}
	return context.WithValue(ctx, traceKey{}, trace{start: clock.System{}.Now(), sql: first})
}

// TraceBatchQuery implements pgx.BatchTracer.
func (t *slowTracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (t *slowTracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchEndData) {
	t.end(ctx, 0)
}

func (t *slowTracer) end(ctx context.Context, rows int64) {
	running, ok := ctx.Value(traceKey{}).(trace)
	if !ok {
		return
	}
	took := clock.System{}.Now().Sub(running.start)
	if took < t.threshold {
		return
	}
	t.log.LogAttrs(ctx, slog.LevelWarn, "slow statement",
		slog.Duration("took", took),
		slog.Int64("rows", rows),
		slog.String("sql", running.sql[:min(len(running.sql), maxLoggedSQL)]))
}
