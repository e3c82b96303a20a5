package ledger_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/ledger"
	"banca/internal/platform/money"
)

// The worked example of the commission rule: sales of 10,000 at 18/15/13/10 %.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	b := setup(t, 5) // operator, super-agency, agency, group, ticket point
	b.exec(t, `UPDATE wallets SET credit_limit = 1000000`)
	sale := b.transfer(map[int]money.Amount{4: -10_000_00, 0: 10_000_00})
	commission := map[int]money.Amount{}
	for level, part := range money.SplitByMargins(10_000_00, []money.BasisPoints{1800, 1500, 1300, 1000}) {
		commission[level+1] = part
		commission[0] -= part
	}
	require.Equal(t, map[int]money.Amount{4: 1_000_00, 3: 300_00, 2: 200_00, 1: 300_00, 0: -1_800_00}, commission)
	require.NoError(t, b.post(t.Context(), []int{4}, sale, b.transfer(commission)))
	want := []money.Amount{8_200_00, 300_00, 200_00, 300_00, -9_000_00}
	require.Equal(t, want, b.balances(t))
	b.requireSound(t)
	n, err := b.Fold(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n, "the seller's own wallet is never behind")
	require.Equal(t, want, b.balances(t))
	b.requireSound(t)
}

func TestADebitMustBeCoveredToTheCentimo(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	err := b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -credit - 1, 0: credit + 1}))
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance)
	require.NoError(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -credit, 0: credit})))
	require.ErrorIs(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -1, 0: 1})), ledger.ErrInsufficientBalance)
	require.NoError(t, b.post(t.Context(), []int{0}, b.transfer(map[int]money.Amount{0: -10 * credit, 2: 10 * credit})), "the house is unlimited")
	require.NoError(t, b.post(t.Context(), []int{2}, b.transfer(map[int]money.Amount{2: -11 * credit, 0: 11 * credit})), "what is pending counts")
	require.ErrorIs(t, b.post(t.Context(), []int{2}, b.transfer(map[int]money.Amount{2: -1, 0: 1})), ledger.ErrInsufficientBalance)
	b.wallets = append(b.wallets, uuid.New())
	require.ErrorIs(t, b.post(t.Context(), []int{3}, b.transfer(map[int]money.Amount{3: -1, 0: 1})), ledger.ErrNoWallet)
	b.wallets = b.wallets[:3]
	b.requireSound(t)
}

// A commission taken back may overdraw an ancestor, which spent it; folding still works, and a credit to
// a wallet that is overdrawn goes through.
func TestAReversedCommissionMayOverdrawAWallet(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	b.exec(t, `UPDATE wallets SET credit_limit = 0 WHERE id = $1`, b.wallets[1])
	commission := b.transfer(map[int]money.Amount{1: 10_00, 0: -10_00})
	require.NoError(t, b.post(t.Context(), []int{0}, commission))
	require.NoError(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -10_00, 2: 10_00})), "the agency spends it")
	require.NoError(t, b.post(t.Context(), []int{0}, commission.Reverse(uuid.Nil, commission.At)))
	want := []money.Amount{0, -10_00, 10_00}
	require.Equal(t, want, b.balances(t))
	require.ErrorIs(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -1, 0: 1})), ledger.ErrInsufficientBalance)
	_, err := b.Fold(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, b.balances(t))
	n, err := b.Fold(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "nothing is left to fold")
	require.ErrorIs(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: -1, 0: 1})), ledger.ErrInsufficientBalance)
	require.NoError(t, b.post(t.Context(), []int{1}, b.transfer(map[int]money.Amount{1: 4_00, 0: -4_00})))
	require.Equal(t, []money.Amount{-4_00, -6_00, 10_00}, b.balances(t))
	b.requireSound(t)
}

// Debits, credits and folds at once: no balance below its credit, none lost, no deadlock.
func TestFoldBesideTransfers(t *testing.T) {
	t.Parallel()
	b := setup(t, 4)
	ctx, stop := context.WithCancel(t.Context())
	var folding, posting sync.WaitGroup
	for range 2 {
		folding.Go(func() {
			for ctx.Err() == nil {
				if _, err := b.Fold(context.WithoutCancel(ctx)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var done [4]atomic.Int64
	for worker := range 12 {
		posting.Go(func() {
			from, to := 1+worker%3, 1+(worker+1)%3
			for range 25 {
				err := b.post(t.Context(), []int{from, 0}, b.transfer(map[int]money.Amount{from: -50_00, to: 20_00, 0: 30_00}))
				switch {
				case err == nil:
					done[from].Add(1)
				case !errors.Is(err, ledger.ErrInsufficientBalance):
					t.Error(err)
				}
			}
		})
	}
	posting.Wait()
	stop()
	folding.Wait()
	want := []money.Amount{0, 0, 0, 0}
	for from := 1; from < 4; from++ {
		n := money.Amount(done[from].Load())
		want[from] -= n * 50_00
		want[1+from%3] += n * 20_00
		want[0] += n * 30_00
	}
	require.Equal(t, want, b.balances(t))
	for _, balance := range want {
		require.GreaterOrEqual(t, balance, money.Amount(-credit))
	}
	b.requireSound(t)
}

// Random transfers keep the sum zero and every balance exact; refused ones change nothing, whatever is locked, folded
// or reversed in between.
func TestRandomTransfers(t *testing.T) {
	t.Parallel()
	b := setup(t, 5)
	want := make([]money.Amount, 5)
	var posted []ledger.Transaction
	rapid.Check(t, func(r *rapid.T) {
		switch rapid.IntRange(0, 9).Draw(r, "operation") {
		case 0:
			_, err := b.Fold(t.Context())
			require.NoError(r, err)
		case 1:
			if len(posted) > 0 {
				last := posted[len(posted)-1]
				posted = posted[:len(posted)-1]
				require.NoError(r, b.post(t.Context(), nil, last.Reverse(uuid.Nil, last.At)))
				b.apply(want, last, -1)
			}
		default:
			from, to, third := rapid.IntRange(0, 4).Draw(r, "from"), rapid.IntRange(0, 4).Draw(r, "to"), rapid.IntRange(0, 4).Draw(r, "third")
			amount, part := money.Amount(rapid.Int64Range(1, 800_00).Draw(r, "amount")), money.Amount(rapid.Int64Range(0, 100).Draw(r, "part"))
			moves := map[int]money.Amount{}
			moves[from] -= amount
			moves[to] += amount - amount*part/100
			moves[third] += amount * part / 100
			if moves[from] == 0 { // to itself: nothing moves
				return
			}
			tx := b.transfer(moves)
			err := b.post(t.Context(), []int{from, 0}[:1+rapid.IntRange(0, 1).Draw(r, "locks")], tx)
			if from != 0 && moves[from] < 0 && want[from]+moves[from] < -credit {
				require.ErrorIs(r, err, ledger.ErrInsufficientBalance)
			} else {
				require.NoError(r, err)
				b.apply(want, tx, 1)
				posted = append(posted, tx)
			}
		}
		require.Equal(r, want, b.balances(t))
	})
	b.requireSound(t)
}

func (b *books) apply(balances []money.Amount, tx ledger.Transaction, sign money.Amount) {
	for _, p := range tx.Postings {
		for i, id := range b.wallets {
			if id == p.WalletID {
				balances[i] += sign * p.Amount
			}
		}
	}
}
