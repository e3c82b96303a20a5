package ledger_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
)

// All entries come from one snapshot: what is posted while they are read, also with an earlier time, is not among them and changes no balance.
func TestEntriesAreReadInOneSnapshot(t *testing.T) {
	t.Parallel()
	b := setup(t, 2)
	const n = 2_500 // more than two pages
	begin := clock.System{}.Now().Add(-n * time.Minute)
	list := make([]ledger.Transaction, n)
	for i := range list {
		list[i] = b.transfer(map[int]money.Amount{0: -1, 1: 1})
		list[i].At = begin.Add(time.Duration(i) * time.Minute)
	}
	require.NoError(t, b.post(t.Context(), []int{0, 1}, list...))
	read, previous := 0, money.Amount(n+1)
	for e, err := range b.Entries(t.Context(), b.by, b.wallets[1], ledger.StatementFilter{}) {
		require.NoError(t, err)
		if read%500 == 0 {
			late := b.transfer(map[int]money.Amount{0: -100, 1: 100})
			late.At = begin.Add(time.Duration(read/5) * time.Minute)
			require.NoError(t, b.post(t.Context(), []int{0, 1}, late))
		}
		require.EqualValues(t, 1, e.Amount)
		require.Equal(t, previous-1, e.Balance)
		read, previous = read+1, e.Balance
	}
	require.Equal(t, n, read)
	for _, err := range b.Entries(t.Context(), testkit.Operator(uuid.New()), b.wallets[1], ledger.StatementFilter{}) {
		require.ErrorIs(t, err, ledger.ErrWalletUnknown)
	}
}
