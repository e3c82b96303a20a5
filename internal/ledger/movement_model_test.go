package ledger_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

// made is a movement as the model knows it.
type made struct {
	id       uuid.UUID
	wallet   int
	other    int // outside for money from outside
	amount   money.Amount
	operator bool // only the operator is above both wallets
	reversed bool
	reversal bool
}

const outside = -1

// movementModel has the wallets of a branch in plain Go: what each movement must do or be refused with.
type movementModel struct {
	*branch

	balances [5]money.Amount
	limits   [5]money.Amount
	made     []made
	next     int
}

func (m *movementModel) covers(wallet int, change money.Amount) bool {
	return wallet == outside || wallet == root || change >= 0 || m.balances[wallet]+change >= -m.limits[wallet]
}

// apply posts on both wallets of a movement, or returns the expected error.
func (m *movementModel) apply(wallet, other int, change money.Amount) error {
	if !m.covers(wallet, change) || !m.covers(other, -change) {
		return ledger.ErrInsufficientBalance
	}
	m.balances[wallet] += change
	if other != outside {
		m.balances[other] -= change
	}
	return nil
}

// move makes one movement of a random kind by a random caller.
func (m *movementModel) move(tb testing.TB, t *rapid.T) {
	tb.Helper()
	wallet := rapid.IntRange(group, point).Draw(t, "wallet")
	amount := money.Amount(rapid.IntRange(1, 4000).Draw(t, "amount"))
	by, above := m.operator, outside
	if rapid.Bool().Draw(t, "by the agency") {
		by, above = m.agency, agency
	}
	m.next++
	r := &ledger.MovementRequest{WalletID: m.wallets[wallet], Amount: amount.Format(2), Reference: m.operator.UserID.String()[:8] + strconv.Itoa(m.next)}
	var got *ledger.Movement
	var err error
	other, change := above, amount
	switch kind := rapid.SampledFrom([]string{"deposit", "withdrawal", "from", "to"}).Draw(t, "kind"); kind {
	case "deposit":
		got, _, err = m.Deposit(tb.Context(), by, r)
	case "withdrawal":
		change = -amount
		got, _, err = m.Withdraw(tb.Context(), by, r)
	case "from":
		other = wallet - 1
		got, _, err = m.Transfer(tb.Context(), by, r, ledger.FromParent)
	default:
		other, change = wallet-1, -amount
		got, _, err = m.Transfer(tb.Context(), by, r, ledger.ToParent)
	}
	if want := m.apply(wallet, other, change); want != nil {
		require.ErrorIs(tb, err, want)
		return
	}
	require.NoError(tb, err)
	require.Equal(tb, m.balances[wallet], got.Balance)
	m.made = append(m.made, made{id: got.ID, wallet: wallet, other: other, amount: change, operator: other == outside})
}

// reverse reverses any movement, also one that cannot be reversed.
func (m *movementModel) reverse(tb testing.TB, t *rapid.T) {
	tb.Helper()
	if len(m.made) == 0 {
		return
	}
	x := &m.made[rapid.IntRange(0, len(m.made)-1).Draw(t, "movement")]
	by := m.operator
	if rapid.Bool().Draw(t, "by the agency") {
		by = m.agency
	}
	got, _, err := m.Reverse(tb.Context(), by, &ledger.ReversalRequest{WalletID: m.wallets[x.wallet], TransactionID: x.id})
	switch {
	case x.reversal:
		require.ErrorIs(tb, err, ledger.ErrNotReversible)
		return
	case x.operator && by.UserID != m.operator.UserID:
		require.ErrorIs(tb, err, ledger.ErrNotAbove)
		return
	case x.reversed:
		require.ErrorIs(tb, err, ledger.ErrReversed)
		return
	}
	if want := m.apply(x.wallet, x.other, -x.amount); want != nil {
		require.ErrorIs(tb, err, want)
		return
	}
	require.NoError(tb, err)
	require.Equal(tb, -x.amount, got.Amount)
	x.reversed = true
	m.made = append(m.made, made{id: got.ID, wallet: x.wallet, other: x.other, amount: -x.amount, operator: x.operator, reversal: true})
}

// limit changes a credit limit, also to less than what is used.
func (m *movementModel) limit(tb testing.TB, t *rapid.T) {
	tb.Helper()
	wallet := rapid.IntRange(agency, point).Draw(t, "limited")
	limit := money.Amount(rapid.IntRange(0, 5000).Draw(t, "limit"))
	_, err := m.SetCredit(tb.Context(), m.operator, &ledger.CreditRequest{WalletID: m.wallets[wallet], Amount: limit.Format(2), Reason: "a test"})
	require.NoError(tb, err)
	m.limits[wallet] = limit
}

// Whatever is moved, reversed and limited in any order, wallets, statements and histories are those of the model.
func TestHistoriesOfMovements(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	operator := b.operator
	rapid.Check(t, func(rt *rapid.T) {
		b.plant(t)
		b.operator = operator
		m := &movementModel{branch: b}
		m.balances[root] = b.balance(t, root)
		m.requireEmpty(t)
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			rapid.SampledFrom([]func(testing.TB, *rapid.T){m.move, m.move, m.move, m.reverse, m.reverse, m.limit}).Draw(rt, "step")(t, rt)
		}
		for at := range m.balances {
			require.Equal(t, m.balances[at], b.balance(t, at), "wallet %d", at)
		}
		m.requireStatements(t, operator)
		if rapid.Bool().Draw(rt, "fold and count") {
			_, err := b.Fold(t.Context())
			require.NoError(t, err)
			require.NoError(t, b.CountDays(t.Context()))
		}
		b.requireSound(t)
	})
}

func (m *movementModel) requireEmpty(t *testing.T) {
	t.Helper()
	for at := agency; at <= stranger; at++ {
		require.Zero(t, m.balance(t, at))
	}
}

// requireStatements compares the newest balance and the number of entries of each wallet below the agency.
func (m *movementModel) requireStatements(t *testing.T, by caller.Caller) {
	t.Helper()
	for at := agency; at <= point; at++ {
		want := 0
		for _, x := range m.made {
			if x.wallet == at || x.other == at {
				want++
			}
		}
		st, err := m.Statement(t.Context(), by, m.wallets[at], &ledger.StatementFilter{Limit: 100})
		require.NoError(t, err)
		require.Len(t, st.Entries, want)
		w, err := m.Wallet(t.Context(), by, m.wallets[at], time.Now())
		require.NoError(t, err)
		require.Equal(t, m.balances[at], w.Balance, "of this instant")
		_, err = m.Wallet(t.Context(), by, m.wallets[at], time.Now().Add(time.Hour))
		require.ErrorIs(t, err, ledger.ErrFutureInstant)
		if want > 0 {
			require.Equal(t, m.balances[at], st.Entries[0].Balance)
		}
	}
}
