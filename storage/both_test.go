package storage_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"banca/internal/dev/testkit"
	"banca/storage"
)

// pair is a row that one half of a transaction writes and the other one reads.
type pair struct {
	ID     int
	Writer string
}

func setupPairs(t *testing.T) (*testkit.Env, func() int64) {
	t.Helper()
	env := testkit.New(t)
	_, err := env.PG.Pool.Exec(t.Context(), `CREATE TABLE pairs (id int PRIMARY KEY, writer text)`)
	require.NoError(t, err)
	return env, func() (n int64) {
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pairs`).Scan(&n))
		return n
	}
}

// writePairs writes a row by gorm and one by pgx.
func writePairs(ctx context.Context, tx pgx.Tx, orm *gorm.DB) error {
	if err := orm.Create(&pair{ID: 1, Writer: "gorm"}).Error; err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO pairs VALUES (2, 'pgx')`)
	return err
}

func TestGormAndPgxShareATransaction(t *testing.T) {
	t.Parallel()
	env, count := setupPairs(t)
	ctx := t.Context()
	require.NoError(t, env.PG.RetriedWithGorm(ctx, func(tx pgx.Tx, orm *gorm.DB) error {
		require.NoError(t, writePairs(ctx, tx, orm))
		var seen int64
		require.NoError(t, tx.QueryRow(ctx, `SELECT count(*) FROM pairs`).Scan(&seen))
		assert.Equal(t, int64(2), seen, "pgx reads the row of gorm")
		require.NoError(t, orm.WithContext(ctx).Model(&pair{}).Count(&seen).Error)
		assert.Equal(t, int64(2), seen, "gorm reads the row of pgx")
		var own, same int64
		require.NoError(t, tx.QueryRow(ctx, `SELECT txid_current()`).Scan(&own))
		require.NoError(t, orm.Model(&pair{}).Limit(1).Select("txid_current()").Scan(&same).Error)
		assert.Equal(t, own, same)
		assert.Zero(t, count(), "other connections read neither before the commit")
		err := orm.Transaction(func(*gorm.DB) error { return nil })
		require.ErrorIs(t, err, gorm.ErrInvalidTransaction, "gorm cannot commit it")
		return nil
	}))
	assert.Equal(t, int64(2), count())
}

// An error of either half, of the function, a panic and the end of the context roll both halves back, and the pool stays
// usable.
func TestASharedTransactionRollsBothBack(t *testing.T) {
	t.Parallel()
	env, count := setupPairs(t)
	refusal := errors.New("refused")
	for name, end := range map[string]func(ctx context.Context, cancel func(), tx pgx.Tx, orm *gorm.DB) error{
		"the function": func(context.Context, func(), pgx.Tx, *gorm.DB) error { return refusal },
		"gorm": func(_ context.Context, _ func(), _ pgx.Tx, orm *gorm.DB) error {
			return orm.Create(&pair{ID: 1}).Error
		},
		"pgx": func(ctx context.Context, _ func(), tx pgx.Tx, _ *gorm.DB) error {
			_, err := tx.Exec(ctx, `INSERT INTO pairs VALUES (2, 'again')`)
			return err
		},
		"a swallowed error": func(_ context.Context, _ func(), _ pgx.Tx, orm *gorm.DB) error {
			require.ErrorIs(t, orm.Create(&pair{ID: 1}).Error, gorm.ErrDuplicatedKey)
			return nil
		},
		"the context": func(_ context.Context, cancel func(), _ pgx.Tx, _ *gorm.DB) error {
			cancel()
			return nil
		},
		"the context in gorm": func(_ context.Context, cancel func(), _ pgx.Tx, orm *gorm.DB) error {
			cancel()
			return orm.Create(&pair{ID: 3}).Error
		},
		"the context in pgx": func(ctx context.Context, cancel func(), tx pgx.Tx, _ *gorm.DB) error {
			cancel()
			_, err := tx.Exec(ctx, `SELECT pg_sleep(10)`)
			return err
		},
	} {
		for range 2 * env.PG.Pool.Config().MaxConns { // more than the pool has: a connection that is kept would be missed
			ctx, cancel := context.WithCancel(t.Context())
			err := env.PG.RetriedWithGorm(ctx, func(tx pgx.Tx, orm *gorm.DB) error {
				require.NoError(t, writePairs(ctx, tx, orm))
				return end(ctx, cancel, tx, orm)
			})
			cancel()
			require.Error(t, err, name)
			require.Zero(t, count(), name)
		}
	}
	require.Panics(t, func() {
		_ = env.PG.RetriedWithGorm(t.Context(), func(tx pgx.Tx, orm *gorm.DB) error {
			require.NoError(t, writePairs(t.Context(), tx, orm))
			panic("of the function")
		})
	})
	require.Zero(t, count())
	require.NoError(t, env.PG.RetriedWithGorm(t.Context(), func(tx pgx.Tx, orm *gorm.DB) error {
		return writePairs(t.Context(), tx, orm)
	}))
	require.Equal(t, int64(2), count())
	for range env.PG.Pool.Config().MaxConns {
		require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			require.EqualValues(t, 'T', tx.Conn().PgConn().TxStatus())
			return nil
		}))
	}
}

func TestASharedTransactionIsRetried(t *testing.T) {
	t.Parallel()
	env, count := setupPairs(t)
	runs := 0
	require.NoError(t, env.PG.RetriedWithGorm(t.Context(), func(tx pgx.Tx, orm *gorm.DB) error {
		if runs++; runs < 3 {
			return errors.Join(writePairs(t.Context(), tx, orm), &pgconn.PgError{Code: "40P01"})
		}
		return writePairs(t.Context(), tx, orm)
	}))
	require.Equal(t, 3, runs)
	require.Equal(t, int64(2), count())
}

// The order of locks is checked over the statements of both.
func TestASharedTransactionHasOneOrderOfLocks(t *testing.T) {
	t.Parallel()
	pg, order := testkit.OpenObserved(t, testkit.New(t))
	take := func(first, then func(tx pgx.Tx, orm *gorm.DB) error) {
		require.NoError(t, pg.RetriedWithGorm(t.Context(), func(tx pgx.Tx, orm *gorm.DB) error {
			return errors.Join(first(tx, orm), then(tx, orm))
		}))
	}
	tree := func(_ pgx.Tx, orm *gorm.DB) error { return storage.LockTree.TakeGorm(orm) }
	users := func(tx pgx.Tx, _ *gorm.DB) error { return storage.LockUsers.Take(t.Context(), tx) }
	take(tree, users)
	require.Empty(t, order.Violations())
	take(users, tree)
	require.Len(t, order.Violations(), 1)
}
