package ledger_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// books are a currency and some wallets: the first is the operator's and unlimited, the others have credit.
type books struct {
	*ledger.Service
	pg       *storage.Postgres
	currency uuid.UUID
	wallets  []uuid.UUID
	entity   uuid.UUID
	by       caller.Caller
}

const credit = 1_000_00

func setup(t testing.TB, wallets int) *books {
	t.Helper()
	env := testkit.New(t)
	b := &books{Service: ledger.New(env.PG, ledger.Options{Zone: time.UTC}), pg: env.PG, currency: uuid.Must(uuid.NewV7()), by: testkit.Operator(uuid.New())}
	b.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'VES', 'Bolívar', 2)`, b.currency)
	b.open(t, wallets)
	return b
}

// open replaces the wallets by new ones.
func (b *books) open(t testing.TB, wallets int) {
	t.Helper()
	b.wallets = nil
	for i := range wallets {
		entity, wallet := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
		b.exec(t, `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'E', $1::text, $2 || $1::text || '/')`, entity, b.by.Scope.Path())
		b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit, unlimited) VALUES ($1, $2, $3, $4, $5)`, wallet, entity, b.currency, credit, i == 0)
		b.wallets, b.entity = append(b.wallets, wallet), entity
	}
}

func (b *books) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.pg.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

// transfer moves amounts onto wallets, by their position, in one transaction of the ledger.
func (b *books) transfer(amounts map[int]money.Amount) ledger.Transaction {
	tx := ledger.Transaction{ID: uuid.Must(uuid.NewV7()), Type: "deposit", EntityID: b.entity, CurrencyID: b.currency, At: clock.System{}.Now()}
	for i, amount := range amounts {
		tx.Postings = append(tx.Postings, ledger.Posting{WalletID: b.wallets[i], Amount: amount})
		tx.Amount += max(amount, 0)
	}
	return tx
}

// post posts transactions, locking the wallets at these positions.
func (b *books) post(ctx context.Context, debited []int, list ...ledger.Transaction) error {
	ids := make([]uuid.UUID, len(debited))
	for i, at := range debited {
		ids[i] = b.wallets[at]
	}
	return b.pg.InTx(ctx, func(tx pgx.Tx) error { return b.PostTx(ctx, tx, ids, list...) })
}

// balances are the exact balances in the order of the wallets.
func (b *books) balances(t testing.TB) []money.Amount {
	t.Helper()
	list, total, err := b.Wallets(t.Context(), b.by, &ledger.WalletFilter{Limit: 200})
	require.NoError(t, err)
	require.EqualValues(t, len(b.wallets), total)
	byID := map[uuid.UUID]money.Amount{}
	for _, w := range list {
		byID[w.ID] = w.Balance
	}
	out := make([]money.Amount, len(b.wallets))
	for i, id := range b.wallets {
		out[i] = byID[id]
	}
	return out
}

func (b *books) requireSound(t testing.TB) {
	t.Helper()
	for name, broken := range b.broken(t) {
		require.Zero(t, broken, name)
	}
}

func (b *books) broken(t testing.TB) map[string]int64 {
	t.Helper()
	checks, err := b.Verify(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, checks)
	found := map[string]int64{}
	for _, c := range checks {
		found[c.Name] = c.Broken
	}
	return found
}
