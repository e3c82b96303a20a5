package app

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/closes"
	"banca/internal/dev/testkit"
	"banca/internal/platform/businessday"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
	"banca/storage"
)

// restored makes every id of a transaction that rows have one of another cluster, whose next id was far ahead.
const restored = `
	ALTER TABLE transactions DISABLE TRIGGER transactions_append_only;
	ALTER TABLE daily_closes DISABLE TRIGGER daily_closes_final;
	UPDATE transactions SET xid = xid + 1000000000;
	UPDATE winning_lines SET xid = xid + 1000000000, annulled_xid = annulled_xid + 1000000000;
	UPDATE feeds SET position = position + 1000000000;
	UPDATE daily_closes SET seen = format('%s:%s:%s', pg_snapshot_xmin(seen)::text::bigint + 1000000000,
		pg_snapshot_xmax(seen)::text::bigint + 1000000000,
		(SELECT string_agg((x::text::bigint + 1000000000)::text, ',' ORDER BY x) FROM pg_snapshot_xip(seen) x))::pg_snapshot
		WHERE seen IS NOT NULL;
	ALTER TABLE transactions ENABLE TRIGGER transactions_append_only;
	ALTER TABLE daily_closes ENABLE TRIGGER daily_closes_final`

// byHand are the statements that operators typed before the command existed: an independent description of its effect.
const byHand = `
	ALTER TABLE transactions DISABLE TRIGGER transactions_append_only;
	ALTER TABLE daily_closes DISABLE TRIGGER daily_closes_final;
	UPDATE transactions t SET xid = EXISTS (SELECT 1 FROM wallet_postings p
		JOIN (SELECT DISTINCT ON (wallet_id) wallet_id, seen, ends_at FROM daily_closes
			WHERE status = 'closed' AND wallet_id IS NOT NULL ORDER BY wallet_id, day DESC) l ON l.wallet_id = p.wallet_id
		WHERE p.transaction_id = t.id AND t.created_at < l.ends_at
			AND NOT pg_visible_in_snapshot(t.xid::text::xid8, l.seen))::int;
	UPDATE daily_closes SET seen = '1:1:' WHERE seen IS NOT NULL;
	ALTER TABLE transactions ENABLE TRIGGER transactions_append_only;
	ALTER TABLE daily_closes ENABLE TRIGGER daily_closes_final;
	UPDATE winning_lines SET xid = 0, annulled_xid = annulled_xid * 0;
	DELETE FROM feeds`

// marks are the rows that a restore makes wrong, as one text, and the number of entries in the activity log.
const marks = `
	SELECT (SELECT string_agg(format('%s %s', id, xid), ',' ORDER BY id) FROM transactions)
		|| (SELECT string_agg(format('%s %s', id, seen), ',' ORDER BY id) FROM daily_closes)
		|| (SELECT string_agg(format('%s %s %s %s', ticket_id, line_no, xid, annulled_xid), ','
			ORDER BY ticket_id, line_no, result_id) FROM winning_lines)
		|| (SELECT coalesce(string_agg(format('%s %s', name, position), ',' ORDER BY name), 'none') FROM feeds),
		(SELECT count(*) FROM activity_logs WHERE module = 'closes' AND action = 'adopt_cluster'),
		(SELECT count(*) FROM transactions WHERE xid = 1),
		(SELECT count(*) FROM pg_trigger
			WHERE tgname IN ('transactions_append_only', 'daily_closes_final') AND tgenabled <> 'O')`

type marked struct {
	rows                    string
	entries, late, disabled int
}

func readMarks(t *testing.T, q storage.RowQuerier) (m marked) {
	t.Helper()
	require.NoError(t, q.QueryRow(t.Context(), marks).Scan(&m.rows, &m.entries, &m.late, &m.disabled))
	return m
}

// AdoptCluster has the effect of the statements that it replaces, once, and the books are sound afterwards.
func TestAdoptCluster(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a := opened(t, env)
	ctx := t.Context()
	require.NoError(t, a.Seed(ctx))
	root := uuid.MustParse(seed.RootEntityID)
	w, err := volume.Open(ctx, env.PG, volume.Options{
		Root: root, Now: time.Now(), Zone: time.UTC, Points: 2, Progress: io.Discard,
	})
	require.NoError(t, err)
	require.NoError(t, w.WriteDay(ctx, businessday.Of(time.Now(), time.UTC).AddDays(-2), 60))
	for closed := 1; closed > 0; {
		closed, err = a.services.closes.Due(ctx)
		require.NoError(t, err)
	}
	by, err := a.services.seeded(ctx, root, seed.Users()[0].Email)
	require.NoError(t, err)
	point := seed.ID("entity", seed.CodeTicketPoint)
	a.sell(t, by, point, "VES")
	var open *closes.Close
	require.Eventually(t, func() bool { // the sale's reservation is removed in the background
		open, _, err = a.services.closes.Open(ctx, by, &closes.OpenRequest{EntityID: point, Currency: "VES"})
		if err == nil {
			_, _, err = a.services.closes.Close(ctx, by, &closes.CloseRequest{ID: open.ID, Cash: closes.Cash{Other: "10"}})
		}
		return !errors.Is(err, closes.ErrPending)
	}, testkit.WaitTimeout, 50*time.Millisecond)
	require.NoError(t, err)
	a.sell(t, by, point, "VES") // after the close of its day
	a.requireSound(t)
	cfg := settings(env)
	require.ErrorIs(t, AdoptCluster(ctx, cfg, env.Log), ErrOwnCluster)

	_, err = env.PG.Pool.Exec(ctx, restored)
	require.NoError(t, err)
	before := readMarks(t, env.PG.Pool)
	tx, err := env.PG.Pool.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, byHand, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	expected := readMarks(t, tx)
	require.NoError(t, tx.Rollback(ctx))
	require.Positive(t, expected.late)
	require.NotEqual(t, expected.rows, before.rows)
	require.Equal(t, before, readMarks(t, env.PG.Pool))

	require.NoError(t, AdoptCluster(ctx, cfg, env.Log))
	expected.entries++
	require.Equal(t, expected, readMarks(t, env.PG.Pool))
	require.Zero(t, expected.disabled)
	require.ErrorIs(t, AdoptCluster(ctx, cfg, env.Log), ErrOwnCluster)
	require.Equal(t, expected, readMarks(t, env.PG.Pool))
	_, err = a.services.closes.Due(ctx)
	require.NoError(t, err)
	a.requireSound(t)
}
