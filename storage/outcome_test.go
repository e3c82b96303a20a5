package storage_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestCommitError(t *testing.T) {
	t.Parallel()
	require.NoError(t, storage.CommitError(nil))
	lost := errors.New("unexpected EOF")
	for code, refused := range map[string]bool{"23505": true, "40P01": true, "42601": true, "57P01": false, "57014": false, "08006": false} {
		err := &pgconn.PgError{Code: code}
		require.Equal(t, refused, errors.Is(storage.Refused(err), storage.ErrRefused), code)
		require.Equal(t, refused, errors.Is(storage.CommitError(err), storage.ErrRefused), code)
		require.Equal(t, !refused, errors.Is(storage.CommitError(err), storage.ErrUnknownOutcome), code)
		require.ErrorIs(t, storage.CommitError(err), err)
	}
	require.Equal(t, lost, storage.Refused(lost))
	require.ErrorIs(t, storage.CommitError(lost), storage.ErrUnknownOutcome)
}

// FindOutcome waits for the end of a transaction that still runs, and then sees what it wrote or did not write.
func TestFindOutcomeWaitsForTheTransaction(t *testing.T) {
	t.Parallel()
	ctx, env := t.Context(), testkit.New(t)
	lock := func(ctx context.Context, tx pgx.Tx) error { return storage.LockBankPayment.TakeKeys(ctx, tx, 7) }
	_, err := env.PG.Pool.Exec(ctx, `CREATE TABLE things (id int)`)
	require.NoError(t, err)
	for _, committed := range []bool{false, true} {
		running, err := env.PG.Pool.Begin(ctx)
		require.NoError(t, err)
		require.NoError(t, lock(ctx, running))
		_, err = running.Exec(ctx, `INSERT INTO things VALUES (1)`)
		require.NoError(t, err)
		var found bool
		done := make(chan error, 1)
		go func() {
			done <- env.PG.FindOutcome(ctx, lock, func(ctx context.Context, tx pgx.Tx) error {
				return tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM things)`).Scan(&found)
			})
		}()
		require.Eventually(t, func() bool {
			var waiting bool
			require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&waiting))
			return waiting
		}, testkit.WaitTimeout, time.Millisecond)
		if committed {
			require.NoError(t, running.Commit(ctx))
		} else {
			require.NoError(t, running.Rollback(ctx))
		}
		require.NoError(t, <-done)
		require.Equal(t, committed, found)
	}
}

func TestFindOutcomeWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	away := errors.New("away")
	err := env.PG.FindOutcome(t.Context(), func(context.Context, pgx.Tx) error { return nil }, func(context.Context, pgx.Tx) error { return away })
	require.ErrorIs(t, err, away)
	require.ErrorIs(t, err, storage.ErrUnknownOutcome)
}
