package testkit

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/storage"
)

// maxBreaks bounds the statements of one operation.
const maxBreaks = 200

// Breaker is a client of a test's database whose connections can be broken from a certain statement on.
type Breaker struct {
	PG *storage.Postgres

	armed atomic.Bool
	left  atomic.Int64 // statements until the break
}

// Breaker returns a further client of the test's database.
func (e *Env) Breaker(t testing.TB) *Breaker {
	t.Helper()
	b := &Breaker{}
	b.PG = openPostgres(t, e.PostgresURL, e.Log, b)
	return b
}

// Each calls an operation with every connection broken from its first statement on, from its second, and so on, until it
// gets through. Between, after is called with what the broken operation returned, while connections are whole. A statement
// that breaks does not reach the server; a commit is a statement. Only the operation may use the client meanwhile. Each
// returns the number of breaks.
func (b *Breaker) Each(t testing.TB, operation func() error, after func(err error)) (breaks int) {
	t.Helper()
	for n := range int64(maxBreaks) {
		b.left.Store(n)
		b.armed.Store(true)
		err := operation()
		b.armed.Store(false)
		if b.left.Load() >= 0 { // the operation has no more statements
			require.NoError(t, err)
			return breaks
		}
		breaks++
		require.Error(t, err, "broken from statement %d on", n+1)
		after(err)
	}
	require.Fail(t, "the operation never gets through")
	return breaks
}

// TraceQueryStart implements pgx.QueryTracer.
func (b *Breaker) TraceQueryStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	b.count(ctx, conn)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*Breaker) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer: a batch counts as one statement.
func (b *Breaker) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	b.count(ctx, conn)
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (*Breaker) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (*Breaker) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (b *Breaker) TraceCopyFromStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	b.count(ctx, conn)
	return ctx
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (*Breaker) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}

// count closes the connection under a statement whose turn has come. Those after it break, too, because database/sql
// repeats a statement that was not sent. A context without an end is that of a cache that refreshes itself beside the
// operation.
func (b *Breaker) count(ctx context.Context, conn *pgx.Conn) {
	if b.armed.Load() && ctx.Done() != nil && b.left.Add(-1) < 0 {
		_ = conn.PgConn().Conn().Close() // the statement fails on it
	}
}
