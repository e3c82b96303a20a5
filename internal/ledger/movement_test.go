package ledger_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/models"
)

// branch is an operator with an agency, a group and a ticket point below each other, each with a wallet, and a second agency.
type branch struct {
	*books

	env      *testkit.Env
	operator caller.Caller
	agency   caller.Caller
	point    caller.Caller
}

// Positions of the wallets of a branch.
const (
	root = iota
	agency
	group
	point
	stranger
)

func setupBranch(t testing.TB) *branch {
	t.Helper()
	env := testkit.New(t)
	b := &branch{
		env:   env,
		books: &books{Service: ledger.New(env.PG, ledger.Options{Zone: time.UTC}), pg: env.PG, currency: uuid.Must(uuid.NewV7())},
	}
	b.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'VES', 'Bolívar', 2)`, b.currency)
	b.addRoot(t)
	b.plant(t)
	return b
}

func (b *branch) addRoot(t testing.TB) {
	t.Helper()
	id, wallet := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	b.operator = testkit.Operator(id)
	b.exec(t, `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1::uuid, 'OPERATOR', 'E', $1::text, $2)`, id, b.operator.Scope.Path())
	b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id, unlimited) VALUES ($1, $2, $3, true)`, wallet, id, b.currency)
	b.wallets, b.by = []uuid.UUID{wallet}, b.operator
}

// plant replaces what is below the operator by new entities with empty wallets.
func (b *branch) plant(t testing.TB) {
	t.Helper()
	b.wallets = b.wallets[:1]
	paths, owners := []string{b.operator.Scope.Path()}, []uuid.UUID{b.operator.EntityID}
	for i, parent := range []int{root, agency, group, root} {
		id, wallet := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
		paths, owners = append(paths, paths[parent]+id.String()+"/"), append(owners, id)
		kind := []string{models.EntityAgency, models.EntityGroup, models.EntityTicketPoint, models.EntityAgency}[i]
		b.exec(t, `INSERT INTO entities (id, entity_type, name, code, path, parent_id) VALUES ($1::uuid, $2, 'E', $1::text, $3, $4)`, id, kind, paths[i+1], owners[parent])
		b.exec(t, `INSERT INTO wallets (id, entity_id, currency_id) VALUES ($1, $2, $3)`, wallet, id, b.currency)
		b.wallets = append(b.wallets, wallet)
	}
	b.agency, b.point = testkit.Within(paths[agency]), testkit.Within(paths[point])
}

func (b *branch) owner(t testing.TB, at int) (id uuid.UUID) {
	t.Helper()
	require.NoError(t, b.pg.Pool.QueryRow(t.Context(), `SELECT entity_id FROM wallets WHERE id = $1`, b.wallets[at]).Scan(&id))
	return id
}

// balance is the exact balance of a wallet.
func (b *branch) balance(t testing.TB, at int) money.Amount {
	t.Helper()
	w, err := b.Wallet(t.Context(), b.operator, b.wallets[at], time.Time{})
	require.NoError(t, err)
	return w.Balance
}

func (b *branch) ask(at int, amount, reference string) *ledger.MovementRequest {
	return &ledger.MovementRequest{WalletID: b.wallets[at], Amount: amount, Reference: reference}
}

// deposit gives a wallet money from outside.
func (b *branch) deposit(t testing.TB, at int, amount, reference string) *ledger.Movement {
	t.Helper()
	m, _, err := b.Deposit(t.Context(), b.operator, b.ask(at, amount, reference))
	require.NoError(t, err)
	return m
}

func (b *branch) count(t testing.TB, sql string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, b.pg.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestADepositAndAWithdrawal(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	m, replayed, err := b.Deposit(t.Context(), b.operator, &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "100.5", Reference: " A-1 ", Note: "cash", Currency: "VES"})
	require.NoError(t, err)
	require.False(t, replayed)
	require.Equal(t, "A-1", m.Reference)
	require.EqualValues(t, 100_50, m.Amount)
	require.EqualValues(t, 100_50, m.Balance)
	require.Equal(t, models.TransactionDeposit, m.Type)
	read, err := b.Movement(t.Context(), b.point, ledger.MovementKey{WalletID: m.WalletID, TransactionID: m.ID})
	require.NoError(t, err)
	require.Equal(t, m, read)

	_, _, err = b.Withdraw(t.Context(), b.operator, b.ask(point, "100.51", "A-2"))
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance)
	m, _, err = b.Withdraw(t.Context(), b.operator, b.ask(point, "100.50", "A-2"))
	require.NoError(t, err, "a refused request uses up no reference")
	require.EqualValues(t, -100_50, m.Amount)
	require.Zero(t, m.Balance)
	require.Equal(t, models.TransactionWithdrawal, m.Type)
	require.EqualValues(t, 2, b.count(t, `SELECT count(*) FROM activity_logs WHERE module = 'wallets' AND target = $1`, b.wallets[point].String()))
	require.EqualValues(t, 0, b.count(t, `SELECT sum(balance) FROM wallet_balances`))
	b.requireSound(t)
}

// A parent that is not the operator moves its own money, and so creates none.
func TestAParentMovesItsOwnMoney(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	_, _, err := b.Deposit(t.Context(), b.agency, b.ask(point, "10", "1"))
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance, "the agency has nothing")
	b.deposit(t, agency, "50", "1")
	m, _, err := b.Deposit(t.Context(), b.agency, b.ask(point, "30", "1"))
	require.NoError(t, err)
	require.Equal(t, b.wallets[agency], m.CounterpartID)
	require.Equal(t, []money.Amount{20_00, 30_00}, []money.Amount{b.balance(t, agency), b.balance(t, point)})
	_, _, err = b.Withdraw(t.Context(), b.agency, b.ask(point, "5", "2"))
	require.NoError(t, err)
	require.Equal(t, []money.Amount{25_00, 25_00}, []money.Amount{b.balance(t, agency), b.balance(t, point)})
	_, _, err = b.Deposit(t.Context(), b.agency, b.ask(agency, "1", "2"))
	require.ErrorIs(t, err, ledger.ErrNotAbove, "not of the own wallet")
	_, _, err = b.Transfer(t.Context(), b.agency, b.ask(agency, "1", "2"), ledger.ToParent)
	require.ErrorIs(t, err, ledger.ErrNotAbove, "nor upwards")
	_, _, err = b.Deposit(t.Context(), b.agency, b.ask(stranger, "1", "2"))
	require.ErrorIs(t, err, ledger.ErrWalletUnknown)
	_, _, err = b.Deposit(t.Context(), b.agency, b.ask(root, "1", "2"))
	require.ErrorIs(t, err, ledger.ErrWalletUnknown)
	_, _, err = b.Deposit(t.Context(), b.point, b.ask(point, "1", "2"))
	require.ErrorIs(t, err, ledger.ErrNotAbove)
	b.deposit(t, root, "7", "1")
	b.requireSound(t)
}

func TestATransfer(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	b.deposit(t, group, "40", "1")
	m, _, err := b.Transfer(t.Context(), b.agency, b.ask(point, "15", "T-1"), ledger.FromParent)
	require.NoError(t, err)
	require.Equal(t, []any{models.TransactionDeposit, ledger.MovementTransfer, b.wallets[group]}, []any{m.Type, m.Kind, m.CounterpartID})
	require.Equal(t, []money.Amount{25_00, 15_00}, []money.Amount{b.balance(t, group), b.balance(t, point)})
	_, _, err = b.Transfer(t.Context(), b.agency, b.ask(point, "25.01", "T-2"), ledger.FromParent)
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance, "the parent must cover it")
	m, _, err = b.Transfer(t.Context(), b.agency, b.ask(point, "15", "T-2"), ledger.ToParent)
	require.NoError(t, err)
	require.Equal(t, models.TransactionWithdrawal, m.Type)
	require.Equal(t, []money.Amount{40_00, 0}, []money.Amount{b.balance(t, group), b.balance(t, point)})
	_, _, err = b.Transfer(t.Context(), b.operator, b.ask(root, "1", "T-1"), ledger.FromParent)
	require.ErrorIs(t, err, ledger.ErrNoParent)
	_, _, err = b.Transfer(t.Context(), b.operator, b.ask(stranger, "1", "T-1"), ledger.FromParent)
	require.NoError(t, err, "the operator's wallet is unlimited")
	st, err := b.Statement(t.Context(), b.operator, b.wallets[group], &ledger.StatementFilter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, st.Entries, 3, "both wallets show it")
	require.Empty(t, st.Entries[0].Movement, "it was made on the other wallet")
	b.requireSound(t)
}

func TestAReversal(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	first := b.deposit(t, point, "10", "A")
	reverse := func(by caller.Caller, r ledger.ReversalRequest) (*ledger.Movement, error) {
		r.WalletID = b.wallets[point]
		m, _, err := b.Reverse(t.Context(), by, &r)
		return m, err
	}
	_, err := reverse(b.agency, ledger.ReversalRequest{Reference: "A"})
	require.ErrorIs(t, err, ledger.ErrNotAbove, "the money came from outside")
	_, _, err = b.Withdraw(t.Context(), b.operator, b.ask(point, "4", "B"))
	require.NoError(t, err)
	_, err = reverse(b.operator, ledger.ReversalRequest{Reference: "A"})
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance, "a reversal must be covered")
	back, err := reverse(b.operator, ledger.ReversalRequest{Reference: "B", Note: "typed twice"})
	require.NoError(t, err)
	require.Equal(t, []any{ledger.MovementReversal, models.TransactionWithdrawal, money.Amount(4_00), money.Amount(10_00), "B"},
		[]any{back.Kind, back.Type, back.Amount, back.Balance, back.Reference})
	_, err = reverse(b.operator, ledger.ReversalRequest{Reference: "B"})
	require.ErrorIs(t, err, ledger.ErrReversed)
	_, err = reverse(b.operator, ledger.ReversalRequest{TransactionID: back.ID})
	require.ErrorIs(t, err, ledger.ErrNotReversible, "no reversal is reversed")
	_, err = reverse(b.operator, ledger.ReversalRequest{TransactionID: first.ID})
	require.NoError(t, err)
	require.Zero(t, b.balance(t, point))
	_, err = reverse(b.operator, ledger.ReversalRequest{TransactionID: first.ID})
	require.ErrorIs(t, err, ledger.ErrReversed, "also where nothing would cover it")
	_, err = reverse(b.operator, ledger.ReversalRequest{Reference: "C"})
	require.ErrorIs(t, err, ledger.ErrMovementUnknown)
	_, err = reverse(b.operator, ledger.ReversalRequest{TransactionID: uuid.New()})
	require.ErrorIs(t, err, ledger.ErrMovementUnknown)
	for _, r := range []ledger.ReversalRequest{{}, {Reference: "A", TransactionID: first.ID}, {Reference: "A", Note: strings.Repeat("x", 201)}} {
		_, err = reverse(b.operator, r)
		require.ErrorIs(t, err, ledger.ErrMovementInvalid)
	}
	sale := b.transfer(map[int]money.Amount{point: 1_00, root: -1_00})
	require.NoError(t, b.post(t.Context(), []int{point}, sale))
	_, err = reverse(b.operator, ledger.ReversalRequest{TransactionID: sale.ID})
	require.ErrorIs(t, err, ledger.ErrNotReversible, "what no person made has its own cancellation")
	st, err := b.Statement(t.Context(), b.operator, b.wallets[point], &ledger.StatementFilter{Limit: 10})
	require.NoError(t, err)
	reversed := 0
	for i := range st.Entries {
		if st.Entries[i].Reversed {
			reversed++
		}
	}
	require.Equal(t, 2, reversed)
	b.requireSound(t)
}

// The movements of an archived month are found as they were, repeats of their keys are answered, and none can be reversed.
func TestMovementsOfAnArchivedMonth(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	ask := b.ask(point, "10", "A")
	ask.IdempotencyKey = uuid.NewString()
	first, _, err := b.Deposit(t.Context(), b.operator, ask)
	require.NoError(t, err)
	_, _, err = b.Withdraw(t.Context(), b.operator, b.ask(point, "4", "B"))
	require.NoError(t, err)
	for _, reference := range []string{"A", "B"} {
		b.deposit(t, point, "50", "cover "+reference)
		_, _, err = b.Reverse(t.Context(), b.operator, &ledger.ReversalRequest{WalletID: b.wallets[point], Reference: reference})
		require.NoError(t, err)
	}
	all := func() (list []ledger.Movement) {
		rows, err := b.pg.Pool.Query(t.Context(), `SELECT transaction_id FROM wallet_movements ORDER BY transaction_id`)
		require.NoError(t, err)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		require.NoError(t, err)
		for _, id := range ids {
			m, err := b.Movement(t.Context(), b.operator, ledger.MovementKey{WalletID: b.wallets[point], TransactionID: id})
			require.NoError(t, err)
			list = append(list, *m)
		}
		return list
	}
	before := all()
	require.Len(t, before, 6)
	require.NoError(t, pgx.BeginFunc(t.Context(), b.pg.Pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica; DELETE FROM postings; DELETE FROM transactions;
			INSERT INTO month_archives (label, least_id, before_id, ends, state, manifest, sha256, rows, bytes, frozen_at, written_at)
			VALUES ('before_202601', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', now(), 'archived', '', '', 0, 0, now(), now())`)
		return err
	}))
	require.Equal(t, before, all())
	again, replayed, err := b.Deposit(t.Context(), b.operator, ask)
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, first.ID, again.ID)
	_, _, err = b.Reverse(t.Context(), b.operator, &ledger.ReversalRequest{WalletID: b.wallets[point], Reference: "cover A"})
	require.ErrorIs(t, err, months.ErrArchived)
}

// Bad requests are refused with their own error and change nothing.
func TestBadMovementsChangeNothing(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	b.deposit(t, point, "10", "used")
	b.exec(t, `INSERT INTO currencies (id, code, name, digits) VALUES ($1, 'USD', 'Dollar', 2)`, uuid.New())
	external := b.count(t, `SELECT count(*) FROM wallets WHERE kind = 'external'`)
	require.EqualValues(t, 1, external)
	var outside uuid.UUID
	require.NoError(t, b.pg.Pool.QueryRow(t.Context(), `SELECT id FROM wallets WHERE kind = 'external'`).Scan(&outside))
	before := b.count(t, `SELECT count(*) FROM transactions`)
	for name, c := range map[string]struct {
		r    ledger.MovementRequest
		want error
	}{
		"zero":            {ledger.MovementRequest{Amount: "0", Reference: "x"}, money.ErrAmount},
		"negative":        {ledger.MovementRequest{Amount: "-1", Reference: "x"}, money.ErrAmount},
		"digits":          {ledger.MovementRequest{Amount: "1.001", Reference: "x"}, money.ErrAmount},
		"an exponent":     {ledger.MovementRequest{Amount: "1e2", Reference: "x"}, money.ErrAmount},
		"too much":        {ledger.MovementRequest{Amount: "10000000000000", Reference: "x"}, money.ErrAmount},
		"no reference":    {ledger.MovementRequest{Amount: "1", Reference: " "}, ledger.ErrMovementInvalid},
		"long reference":  {ledger.MovementRequest{Amount: "1", Reference: strings.Repeat("x", 65)}, ledger.ErrMovementInvalid},
		"lines":           {ledger.MovementRequest{Amount: "1", Reference: "a\nb"}, ledger.ErrMovementInvalid},
		"long note":       {ledger.MovementRequest{Amount: "1", Reference: "x", Note: strings.Repeat("x", 201)}, ledger.ErrMovementInvalid},
		"other currency":  {ledger.MovementRequest{Amount: "1", Reference: "x", Currency: "USD"}, ledger.ErrCurrencyMismatch},
		"no currency":     {ledger.MovementRequest{Amount: "1", Reference: "x", Currency: "XXX"}, ledger.ErrCurrencyNotFound},
		"used reference":  {ledger.MovementRequest{Amount: "1", Reference: "used"}, ledger.ErrReferenceUsed},
		"bad key":         {ledger.MovementRequest{Amount: "1", Reference: "x", IdempotencyKey: "a\n"}, idempotency.ErrInvalidKey},
		"external wallet": {ledger.MovementRequest{WalletID: outside, Amount: "1", Reference: "x"}, ledger.ErrWalletKind},
		"no wallet":       {ledger.MovementRequest{WalletID: uuid.New(), Amount: "1", Reference: "x"}, ledger.ErrWalletUnknown},
	} {
		r := c.r
		if r.WalletID == uuid.Nil {
			r.WalletID = b.wallets[point]
		}
		_, _, err := b.Deposit(t.Context(), b.operator, &r)
		require.ErrorIs(t, err, c.want, name)
		_, _, err = b.Withdraw(t.Context(), b.operator, &r)
		require.ErrorIs(t, err, c.want, name)
	}
	b.exec(t, `UPDATE wallets SET status = 'inactive' WHERE id = $1`, b.wallets[point])
	_, _, err := b.Deposit(t.Context(), b.operator, b.ask(point, "1", "x"))
	require.ErrorIs(t, err, ledger.ErrWalletInactive)
	b.exec(t, `UPDATE wallets SET status = 'active'`)
	b.exec(t, `UPDATE currencies SET status = 'inactive' WHERE id = $1`, b.currency)
	fresh := ledger.New(b.pg, ledger.Options{Zone: time.UTC})
	_, _, err = fresh.Deposit(t.Context(), b.operator, b.ask(point, "1", "x"))
	require.ErrorIs(t, err, ledger.ErrCurrencyNotFound)
	require.Equal(t, before, b.count(t, `SELECT count(*) FROM transactions`))
	b.requireSound(t)
}

// Fifty equal requests with one key have one effect; the other forty-nine get its answer.
func TestFiftyMovementsWithOneKey(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	b.deposit(t, group, "1000", "0")
	services := []*ledger.Service{b.Service, ledger.New(b.pg, ledger.Options{Zone: time.UTC})} // two processes
	for name, run := range map[string]func(s *ledger.Service, key string) (*ledger.Movement, bool, error){
		"deposit": func(s *ledger.Service, key string) (*ledger.Movement, bool, error) {
			return s.Deposit(t.Context(), b.operator, &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "2", Reference: key, IdempotencyKey: key})
		},
		"transfer": func(s *ledger.Service, key string) (*ledger.Movement, bool, error) {
			return s.Transfer(t.Context(), b.operator, &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "2", Reference: key, IdempotencyKey: key}, ledger.FromParent)
		},
		"reversal": func(s *ledger.Service, key string) (*ledger.Movement, bool, error) {
			return s.Reverse(t.Context(), b.operator, &ledger.ReversalRequest{WalletID: b.wallets[group], Reference: "0", IdempotencyKey: key})
		},
	} {
		if name == "reversal" {
			b.deposit(t, group, "1000", "more")
		}
		before := b.count(t, `SELECT count(*) FROM wallet_movements`)
		var effects atomic.Int64
		ids := make([]uuid.UUID, 50)
		var running sync.WaitGroup
		for i := range ids {
			running.Go(func() {
				m, replayed, err := run(services[i%2], name)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				if ids[i] = m.ID; !replayed {
					effects.Add(1)
				}
			})
		}
		running.Wait()
		require.EqualValues(t, 1, effects.Load(), name)
		for _, id := range ids {
			require.Equal(t, ids[0], id, name)
		}
		require.Equal(t, before+1, b.count(t, `SELECT count(*) FROM wallet_movements`), name)
	}
	_, _, err := b.Deposit(t.Context(), b.operator, &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "3", Reference: "other", IdempotencyKey: "deposit"})
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	b.requireSound(t)
}

// Of fifty withdrawals at once with keys of their own, exactly those that fit are made.
func TestFiftyWithdrawalsAtTheLimit(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	b.deposit(t, point, "13", "0")
	_, err := b.SetCredit(t.Context(), b.operator, &ledger.CreditRequest{WalletID: b.wallets[point], Amount: "10.99", Reason: "trust"})
	require.NoError(t, err)
	var made, refused atomic.Int64
	var running sync.WaitGroup
	for i := range 50 {
		running.Go(func() {
			key := strconv.Itoa(i)
			r := &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "1", Reference: "w" + key, IdempotencyKey: key}
			var err error
			if i%2 == 0 {
				_, _, err = b.Withdraw(t.Context(), b.operator, r)
			} else {
				_, _, err = b.Transfer(t.Context(), b.operator, r, ledger.ToParent)
			}
			switch {
			case err == nil:
				made.Add(1)
			case errors.Is(err, ledger.ErrInsufficientBalance):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	running.Wait()
	require.Equal(t, []int64{23, 27}, []int64{made.Load(), refused.Load()})
	require.EqualValues(t, -10_00, b.balance(t, point))
	b.requireSound(t)
}

// A transaction of which any statement breaks, the commit included, leaves nothing, and its repeat has one effect.
func TestABrokenMovementLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	b.deposit(t, group, "100", "0")
	breaker := b.env.Breaker(t)
	broken := ledger.New(breaker.PG, ledger.Options{Zone: time.UTC})
	for name, run := range map[string]func(ctx context.Context) error{
		"deposit": func(ctx context.Context) error {
			_, _, err := broken.Deposit(ctx, b.operator, &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "2", Reference: "d", IdempotencyKey: "d"})
			return err
		},
		"transfer": func(ctx context.Context) error {
			_, _, err := broken.Transfer(ctx, b.operator, &ledger.MovementRequest{WalletID: b.wallets[point], Amount: "2", Reference: "t", IdempotencyKey: "t"}, ledger.FromParent)
			return err
		},
		"credit": func(ctx context.Context) error {
			_, err := broken.SetCredit(ctx, b.operator, &ledger.CreditRequest{WalletID: b.wallets[point], Amount: "9", Reason: "r"})
			return err
		},
	} {
		tables := func() []int64 {
			return []int64{
				b.count(t, `SELECT count(*) FROM wallet_movements`), b.count(t, `SELECT count(*) FROM postings`), b.count(t, `SELECT count(*) FROM idempotency_keys`),
				b.count(t, `SELECT count(*) FROM activity_logs`), b.count(t, `SELECT count(*) FROM credit_limit_changes`), int64(b.balance(t, point)),
			}
		}
		before := tables()
		breaks := breaker.Each(t, func() error { return run(t.Context()) }, func(error) {
			require.Equal(t, before, tables(), name)
		})
		require.Greater(t, breaks, 4, name)
		require.NotEqual(t, before, tables(), name)
	}
	b.requireSound(t)
}
