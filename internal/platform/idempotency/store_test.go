package idempotency

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

func TestKeyOf(t *testing.T) {
	t.Parallel()
	a, b := uuid.New(), uuid.New()
	key, err := KeyOf(a, "k")
	require.NoError(t, err)
	same, err := KeyOf(a, "k")
	require.NoError(t, err)
	require.Equal(t, key, same)
	other, err := KeyOf(b, "k")
	require.NoError(t, err)
	require.NotEqual(t, key, other, "a key is scoped to its entity")
	none, err := KeyOf(a, "")
	require.NoError(t, err)
	require.Equal(t, uuid.Nil, none)
	_, err = KeyOf(a, strings.Repeat("x", 200))
	require.NoError(t, err)
	for _, text := range []string{strings.Repeat("x", 201), "a\n", "ñ", "\x7f"} {
		_, err := KeyOf(a, text)
		require.ErrorIs(t, err, ErrInvalidKey, "%q", text)
	}
}

// account is a test's domain: each deposit is one row.
type account struct{ env *testkit.Env }

func newAccount(t *testing.T) *account {
	t.Helper()
	env := testkit.New(t)
	_, err := env.PG.Pool.Exec(t.Context(), `CREATE TABLE deposits (id uuid PRIMARY KEY, amount text)`)
	require.NoError(t, err)
	return &account{env: env}
}

func (a *account) deposit(ctx context.Context, key uuid.UUID, amount string) (id uuid.UUID, replayed bool, err error) {
	use := Use{Key: key, Meaning: Of("deposit", Decimal(amount))}
	return Once(ctx, a.env.PG.Pool, use, func(_ context.Context, first *Answer) (uuid.UUID, error) {
		return uuid.FromBytes(first.Response)
	}, func() (uuid.UUID, error) {
		id := uuid.New()
		return id, a.env.PG.InTx(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `INSERT INTO deposits VALUES ($1, $2)`, id, amount); err != nil {
				return err
			}
			return use.StoreTx(ctx, tx, &Answer{Response: id[:]})
		})
	})
}

func (a *account) deposits(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, a.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM deposits`).Scan(&n))
	return n
}

func TestOnce(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	key := uuid.New()
	first, replayed, err := a.deposit(t.Context(), key, "10")
	require.NoError(t, err)
	require.False(t, replayed)
	again, replayed, err := a.deposit(t.Context(), key, "10.00")
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, first, again)
	_, _, err = a.deposit(t.Context(), key, "11")
	require.ErrorIs(t, err, ErrKeyReused)
	require.Equal(t, 1, a.deposits(t))
	for range 2 {
		_, replayed, err = a.deposit(t.Context(), uuid.Nil, "10")
		require.NoError(t, err)
		require.False(t, replayed)
	}
	require.Equal(t, 3, a.deposits(t), "without a key every request has its effect")
}

// Requests with one key at once, without locks of the process: one effect, and every equal request gets its answer.
func TestOnceAtOnce(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	key := uuid.New()
	ids := make([]uuid.UUID, 16)
	var reused, effects atomic.Int64
	var running sync.WaitGroup
	for i := range ids {
		running.Go(func() {
			amount := []string{"10", "11"}[i%2]
			id, replayed, err := a.deposit(t.Context(), key, amount)
			switch {
			case errors.Is(err, ErrKeyReused):
				reused.Add(1)
			case err != nil:
				t.Error(err)
			case !replayed:
				effects.Add(1)
			}
			ids[i] = id
		})
	}
	running.Wait()
	require.EqualValues(t, 1, effects.Load())
	require.EqualValues(t, len(ids)/2, reused.Load())
	require.Equal(t, 1, a.deposits(t))
}

// A failed operation stores nothing, so its key can be used again.
func TestAFailureLeavesTheKeyUnused(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	use := Use{Key: uuid.New(), Meaning: Of("deposit", "10")}
	failure := errors.New("not covered")
	_, _, err := Once(t.Context(), a.env.PG.Pool, use, func(context.Context, *Answer) (int, error) { return 1, nil }, func() (int, error) {
		return 0, a.env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			return errors.Join(use.StoreTx(t.Context(), tx, &Answer{}), failure)
		})
	})
	require.ErrorIs(t, err, failure)
	_, found, err := use.Find(t.Context(), a.env.PG.Pool)
	require.NoError(t, err)
	require.False(t, found)
}

// A request that loses to another one with its key and another meaning is refused, whatever it failed with.
func TestAKeyThatIsStoredMeanwhileIsReused(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	use := Use{Meaning: Of("deposit", "10")}
	failure := errors.New("not covered")
	for amount, want := range map[string]error{"10": nil, "11": ErrKeyReused} {
		use.Key = uuid.New()
		_, replayed, err := Once(t.Context(), a.env.PG.Pool, use, func(context.Context, *Answer) (int, error) { return 1, nil }, func() (int, error) {
			_, _, err := a.deposit(t.Context(), use.Key, amount)
			return 0, errors.Join(err, failure)
		})
		require.ErrorIs(t, err, want)
		require.NotErrorIs(t, err, failure)
		require.Equal(t, want == nil, replayed)
	}
}

// A refusal is no answer while the key cannot be read: an equal request may have been first.
func TestAKeyThatCannotBeReadIsUnknown(t *testing.T) {
	t.Parallel()
	refusal, replay := errors.New("not covered"), func(context.Context, *Answer) (int, error) { return 1, nil }
	for _, answered := range []int{0, 1} {
		keys := &failing{Querier: newAccount(t).env.PG.Pool, answered: answered}
		ran := false
		_, _, err := Once(t.Context(), keys, Use{Key: uuid.New()}, replay, func() (int, error) { ran = true; return 0, refusal })
		require.ErrorIs(t, err, ErrUnknownOutcome)
		require.Equal(t, answered == 1, ran, "an operation does not run before its key is read")
	}
}

// failing answers some queries and fails afterwards.
type failing struct {
	storage.Querier

	answered int
}

func (f *failing) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if f.answered--; f.answered < 0 {
		return nil, errors.New("no connection")
	}
	return f.Querier.Query(ctx, sql, args...)
}

// A batch reads and stores the keys of many requests.
func TestABatchStoresAndFindsKeys(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	keys := []uuid.UUID{uuid.New(), uuid.New()}
	ticket, meaning := uuid.New(), Of("sell", "x")
	require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		QueueStore(b, keys, []*Answer{{Meaning: meaning[:], TicketID: ticket, Response: []byte("cuts")}, {Meaning: meaning[:]}})
		return tx.SendBatch(t.Context(), b).Close()
	}))
	found := make(map[uuid.UUID]*Answer)
	b := &pgx.Batch{}
	QueueFind(b, append(keys, uuid.New()), found)
	require.NoError(t, env.PG.Pool.SendBatch(t.Context(), b).Close())
	require.Equal(t, map[uuid.UUID]*Answer{
		keys[0]: {Meaning: meaning[:], TicketID: ticket, Response: []byte("cuts")},
		keys[1]: {Meaning: meaning[:]},
	}, found)
	require.NoError(t, Compare(found[keys[0]].Meaning, meaning))
	require.ErrorIs(t, Compare(found[keys[0]].Meaning, Of("sell", "y")), ErrKeyReused)
	empty := &pgx.Batch{}
	QueueFind(empty, nil, found)
	QueueStore(empty, nil, nil)
	require.Zero(t, empty.Len())
}

func TestLocksSerialiseOneKey(t *testing.T) {
	t.Parallel()
	var locks Locks
	key := uuid.New()
	unlock := locks.Lock(key)
	locks.Lock(uuid.New())()
	_ = locks.Lock(uuid.Nil)
	_ = locks.Lock(uuid.Nil) // the Nil key is never locked
	waiting := make(chan struct{})
	go func() { defer close(waiting); locks.Lock(key)() }()
	require.Eventually(t, func() bool { locks.mu.Lock(); defer locks.mu.Unlock(); return locks.held[key].users == 2 }, testkit.WaitTimeout, time.Millisecond)
	select {
	case <-waiting:
		t.Fatal("locked twice")
	default:
	}
	unlock()
	<-waiting
	require.Empty(t, locks.held)
}
