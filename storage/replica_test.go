package storage_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

// Reads go to a streaming standby while it keeps up, and to the primary while it is behind or away. Nothing is written
// by either way.
func TestReadsFollowTheReplicaWhileItKeepsUp(t *testing.T) {
	t.Parallel()
	primary := testkit.StartPrimary(t)
	standby := primary.StartStandby(t)
	pg, err := storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: primary.URL()})
	require.NoError(t, err)
	defer func() { require.NoError(t, pg.Close()) }()
	_, err = pg.Pool.Exec(t.Context(), `CREATE TABLE lines (n integer)`)
	require.NoError(t, err)
	replica, err := storage.NewReplica(t.Context(), pg, storage.ReplicaOptions{URL: standby.URL, MaxLag: 5 * time.Second})
	require.NoError(t, err)
	defer replica.Close()
	reading := replica.Postgres().Pool
	onStandby := func() bool {
		var standby bool
		err := reading.QueryRow(t.Context(), `SELECT pg_is_in_recovery()`).Scan(&standby)
		require.NoError(t, err)
		return standby
	}
	require.False(t, onStandby(), "the standby was not seen yet")
	require.Error(t, replica.Check(t.Context()))

	ctx, cancel := context.WithCancel(t.Context())
	var sampling sync.WaitGroup
	sampling.Go(func() { replica.Run(ctx) })
	defer sampling.Wait()
	defer cancel()
	until := func(reached func() bool) {
		t.Helper()
		require.Eventually(t, reached, testkit.WaitTimeout, 50*time.Millisecond)
	}
	write := func() {
		_, err := pg.Pool.Exec(t.Context(), `INSERT INTO lines VALUES (1)`)
		require.NoError(t, err)
	}
	refuses := func() {
		t.Helper()
		_, err := reading.Exec(t.Context(), `INSERT INTO lines VALUES (2)`)
		require.ErrorContains(t, err, "read-only transaction")
	}
	write()
	until(onStandby)
	require.NoError(t, replica.Check(t.Context()))
	require.LessOrEqual(t, replica.State().Lag, 5*time.Second)
	refuses()

	standby.PauseReplay(t)
	write()
	until(func() bool { return !onStandby() })
	require.ErrorIs(t, replica.Check(t.Context()), storage.ErrReplicaBehind)
	require.Greater(t, replica.State().Lag, 5*time.Second)
	refuses()
	standby.ResumeReplay(t)
	until(onStandby)

	standby.Kill()
	until(func() bool { // a read that was under way may fail, the next ones do not
		var n int
		return reading.QueryRow(t.Context(), `SELECT count(*) FROM lines`).Scan(&n) == nil && n == 2
	})
	until(func() bool { return !replica.State().Used })
	require.False(t, onStandby())
	standby.Restart(t)
	until(onStandby)
}
