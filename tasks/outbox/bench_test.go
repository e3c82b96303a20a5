package outbox_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/tasks/outbox"
)

// BenchmarkRelay measures rows a second from a full outbox to an empty one.
func BenchmarkRelay(b *testing.B) {
	env := testkit.New(b)
	const chunk = 1000
	rows := make([]outbox.Row, chunk)
	written := 0
	for ; written < b.N; written += chunk {
		for i := range rows {
			rows[i] = row(b)
		}
		commit(b, env, rows...)
	}
	ctx, cancel := context.WithCancel(b.Context())
	relay := outbox.NewRelay(env.PG.Pool, asynq.NewClientFromRedisClient(env.Redis), outbox.RelayConfig{}, slog.New(slog.DiscardHandler))
	b.ResetTimer()
	began := time.Now()
	done := make(chan struct{})
	go func() { relay.Run(ctx); close(done) }()
	for left(b, env) > 0 {
		time.Sleep(time.Millisecond)
	}
	b.ReportMetric(float64(written)/time.Since(began).Seconds(), "rows/s")
	b.StopTimer()
	cancel()
	<-done
}

// BenchmarkInsert measures what one row adds to a transaction that writes a batch of them.
func BenchmarkInsert(b *testing.B) {
	env := testkit.New(b)
	rows := make([]outbox.Row, 64)
	for b.Loop() {
		for i := range rows {
			rows[i] = row(b)
		}
		require.NoError(b, env.PG.InTx(b.Context(), func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			outbox.QueueInsert(batch, rows)
			return tx.SendBatch(b.Context(), batch).Close()
		}))
	}
	b.ReportMetric(float64(b.N)*64/b.Elapsed().Seconds(), "rows/s")
}
