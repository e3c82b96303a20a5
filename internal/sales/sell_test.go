package sales_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
)

func TestSellBooksEveryLevel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	sold, err := b.Sell(t.Context(), b.request(draw, "5", "1000.00"))
	require.NoError(t, err)
	require.Equal(t, money.Amount(1000_00), sold.Ticket.Total)
	require.Equal(t, money.Amount(30_000_00), sold.Ticket.PotentialPrize)

	balances := b.balances(t)
	require.Equal(t, money.Amount(-900_00), balances[seed.CodeTicketPoint], "1,000 less its own 10 %")
	require.Equal(t, money.Amount(30_00), balances[seed.CodeGroup])
	require.Equal(t, money.Amount(20_00), balances[seed.CodeAgency])
	require.Equal(t, money.Amount(30_00), balances[seed.CodeSuperAgency])
	require.Equal(t, money.Amount(820_00), balances[seed.CodeOperator])
	b.requireSound(t)

	n, err := b.Ledger.Fold(t.Context())
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Equal(t, balances, b.balances(t), "folding changes no balance")
	b.requireSound(t)
}

// balances returns the exact VES balances by entity code.
func (b *bundle) balances(t testing.TB) map[string]money.Amount {
	t.Helper()
	list, _, err := b.Ledger.Wallets(t.Context(), cashier(), &ledger.WalletFilter{Limit: 200})
	require.NoError(t, err)
	codes := map[string]string{fixture.RootID.String(): seed.CodeOperator}
	for _, code := range []string{seed.CodeSuperAgency, seed.CodeAgency, seed.CodeGroup, seed.CodeTicketPoint, seed.CodeTicketPoint2} {
		codes[fixture.EntityID(code).String()] = code
	}
	out := map[string]money.Amount{}
	for _, w := range list {
		if code := codes[w.EntityID.String()]; code != "" && w.CurrencyID == seed.ID("currency", "VES") {
			out[code] = w.Balance
		}
	}
	return out
}
