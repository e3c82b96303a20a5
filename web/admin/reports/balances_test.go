package reports

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/models"
	"banca/web/kit"
)

// The tiles lead from the opening balance to the closing one: each type of transaction of the ledger has its own.
func TestTheTilesOfABalanceAddUp(t *testing.T) {
	t.Parallel()
	v, page := &kit.View{Language: kit.Spanish}, &balancesPage{}
	page.Head.Currency.Digits, page.Head.Entity.Type = 2, models.EntityOperator
	page.Own = &reports.Balance{BalanceChange: ledger.BalanceChange{
		Opening: 824_10, Sale: 9_700_00, Prize: -4_700_00, Commission: -1_746_00, Deposit: 50_00, Withdrawal: -20_00, Closing: 4_108_10,
	}}
	tiles := page.Tiles(v)
	require.Len(t, tiles, 7)
	assert.Equal(t, []string{"reports.opening", "reports.closing"}, []string{tiles[0].Label, tiles[6].Label})
	var sum money.Amount
	for i, part := range parts() {
		assert.Equal(t, v.Money(part.of(page.Own), 2), tiles[i].Figure, part.title)
		if i < 6 {
			sum += part.of(page.Own)
		}
	}
	assert.Equal(t, tiles[6].Figure, v.Money(sum, 2))
	assert.True(t, page.Below())
	page.Head.Entity.Type, page.Own = models.EntityTicketPoint, nil
	assert.False(t, page.Below(), "a ticket point has nobody below it")
	assert.Len(t, page.Tiles(v), 2, "amounts of zero between the balances are left out")
}
