package lockorder_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// A transaction that takes a lock after one of a higher rank is a violation, however the lock is taken.
func TestLocksOutOfOrderAreSeen(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	low, high := uuid.MustParse("00000000-0000-0000-0000-000000000001"), uuid.MustParse("00000000-0000-0000-0000-000000000002")
	for name, c := range map[string]struct {
		take [2]string
		args [2][]any
		want string // of the violation; empty for none
	}{
		"settlements, draw": {take: [2]string{storage.LockSettlements.SQL(), storage.LockDrawsSQL}, args: [2][]any{nil, {storage.DrawLocks([]uuid.UUID{low})}}, want: "draw is taken after settlements"},
		"draw, settlements": {take: [2]string{storage.LockDrawsSQL, storage.LockSettlements.SQL()}, args: [2][]any{{storage.DrawLocks([]uuid.UUID{low})}, nil}},
		"draws descending": {take: [2]string{storage.ShareDrawsSQL, storage.LockDrawsSQL},
			args: [2][]any{{storage.DrawLocks([]uuid.UUID{high})}, {storage.DrawLocks([]uuid.UUID{low})}}, want: "draws are locked in no order"},
		"the same draw again": {take: [2]string{storage.ShareDrawsSQL, storage.LockDrawsSQL}, args: [2][]any{{storage.DrawLocks([]uuid.UUID{low})}, {storage.DrawLocks([]uuid.UUID{low})}}},
		"ticket, wallet": {take: [2]string{`SELECT 1 FROM tickets WHERE false FOR UPDATE`, `SELECT 1 FROM wallets WHERE id = (SELECT wallet_id FROM tickets LIMIT 1) FOR UPDATE`},
			want: "wallet is taken after ticket"},
		"wallet, ticket":       {take: [2]string{`SELECT 1 FROM wallets WHERE id = (SELECT wallet_id FROM tickets LIMIT 1) FOR UPDATE`, `UPDATE tickets SET prize = 0 WHERE false`}},
		"ticket, draw row":     {take: [2]string{`DELETE FROM tickets WHERE false`, `WITH x AS (UPDATE draws SET status = 'open' WHERE false RETURNING id) SELECT id FROM x`}, want: "draw row is taken after ticket"},
		"an upsert is no lock": {take: [2]string{`SELECT 1 FROM tickets WHERE false FOR UPDATE`, `INSERT INTO draw_alerts SELECT * FROM draw_alerts WHERE false ON CONFLICT (draw_id, kind) DO UPDATE SET count = 1`}},
		"a lock that skips":    {take: [2]string{`SELECT 1 FROM tickets WHERE false FOR UPDATE`, `SELECT w.id FROM wallets w JOIN entities e ON e.id = w.entity_id WHERE false FOR UPDATE OF w SKIP LOCKED`}},
	} {
		pg, order := testkit.OpenObserved(t, env)
		require.NoError(t, pg.InTx(t.Context(), func(tx pgx.Tx) error {
			for i, sql := range c.take {
				if _, err := tx.Exec(t.Context(), sql, c.args[i]...); err != nil {
					return fmt.Errorf("%s: %w", sql, err)
				}
			}
			return nil
		}), name)
		if c.want == "" {
			require.Empty(t, order.Violations(), name)
			continue
		}
		require.Len(t, order.Violations(), 1, name)
		require.Contains(t, order.Violations()[0], c.want, name)
	}
}

// A lock of rows is seen however its statement names the table.
func TestLocksOfRowsAreSeenByEveryName(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	for sql, want := range map[string]string{
		`SELECT 1 FROM wallets AS w WHERE false FOR UPDATE OF w`:                                               "wallet is taken after ticket",
		`SELECT 1 FROM wallets WHERE false FOR UPDATE OF wallets`:                                              "wallet is taken after ticket",
		`SELECT 1 FROM "wallets" "w" WHERE false FOR NO KEY UPDATE OF "w"`:                                     "wallet is taken after ticket",
		`SELECT 1 FROM wallets JOIN entities e ON e.id = entity_id WHERE false FOR UPDATE OF wallets`:          "wallet is taken after ticket",
		`SELECT 1 FROM entities JOIN wallets ON entities.id = entity_id WHERE false FOR UPDATE OF wallets`:     "wallet is taken after ticket",
		`SELECT 1 FROM entities e JOIN wallets w ON e.id = entity_id, currencies c WHERE false FOR SHARE OF w`: "wallet is taken after ticket",
		`SELECT 1 FROM entities e, wallets w WHERE false FOR UPDATE`:                                           "wallet is taken after ticket",
		`SELECT 1 FROM (SELECT 1, 2) x, ONLY wallets w WHERE false FOR UPDATE OF w`:                            "wallet is taken after ticket",
		`SELECT 1 FROM unnest('{1}'::integer[]) AS x (id), wallets w WHERE false FOR UPDATE OF w`:              "wallet is taken after ticket",
		`SELECT 1 FROM devices d, wallets w WHERE false FOR UPDATE OF d, w`:                                    "wallet is taken after ticket",
		`WITH x AS (SELECT id FROM wallets AS w WHERE false FOR UPDATE OF w) SELECT 1 FROM x, entities e`:      "wallet is taken after ticket",
		`UPDATE ONLY wallets SET status = status WHERE false`:                                                  "wallet is taken after ticket",
		`UPDATE public.wallets AS w SET status = e.status FROM entities e WHERE false`:                         "wallet is taken after ticket",
		`DELETE FROM ONLY payment_requests WHERE false`:                                                        "payment request is taken after ticket",
		`INSERT INTO wallets (id, entity_id, currency_id, kind) SELECT id, entity_id, currency_id, kind FROM wallets
			WHERE false ON CONFLICT (id) DO UPDATE SET status = 'active'`: "wallet is taken after ticket",

		`SELECT 1 FROM wallets w JOIN entities ON entities.id = entity_id WHERE false FOR UPDATE OF entities`:   "",
		`SELECT 1 FROM entities e, wallets w WHERE false FOR UPDATE OF e`:                                       "",
		`SELECT 1 FROM entities, (SELECT id FROM wallets AS w) x WHERE false FOR UPDATE OF entities`:            "",
		`INSERT INTO wallets SELECT * FROM wallets WHERE false ON CONFLICT (id) DO NOTHING`:                     "",
		`UPDATE entities SET name = e.name, code = e.code FROM wallets w, entities e WHERE false RETURNING (1)`: "",
	} {
		pg, order := testkit.OpenObserved(t, env)
		require.NoError(t, pg.InTx(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SELECT 1 FROM tickets WHERE false FOR UPDATE`); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), sql)
			return err
		}), sql)
		if want == "" {
			require.Empty(t, order.Violations(), sql)
			continue
		}
		require.Len(t, order.Violations(), 1, sql)
		require.Contains(t, order.Violations()[0], want, sql)
	}
}

// A draw that is locked again does not lower the bound of the next ones.
func TestDrawsAscendAfterOneIsLockedAgain(t *testing.T) {
	t.Parallel()
	pg, order := testkit.OpenObserved(t, testkit.New(t))
	require.NoError(t, pg.InTx(t.Context(), func(tx pgx.Tx) error {
		for _, keys := range [][]int64{{1, 5}, {1}, {3}} {
			if _, err := tx.Exec(t.Context(), storage.ShareDrawsSQL, keys); err != nil {
				return err
			}
		}
		return nil
	}))
	require.Len(t, order.Violations(), 1)
}

// What one transaction took, another one may take in its own order; so may the same connection afterwards.
func TestLocksAreForgottenWithTheirTransaction(t *testing.T) {
	t.Parallel()
	pg, order := testkit.OpenObserved(t, testkit.New(t))
	for range 20 {
		require.NoError(t, pg.InTx(t.Context(), func(tx pgx.Tx) error { return storage.LockSettlements.Take(t.Context(), tx) }))
		require.NoError(t, pg.InTx(t.Context(), func(tx pgx.Tx) error { return storage.LockCatalogue.Take(t.Context(), tx) }))
	}
	require.Empty(t, order.Violations())
}
