package money

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

// The sale of a ticket is above its commission, with the balances of that order. Sums of days stay where they are.
func TestSalesAreAboveTheirCommissions(t *testing.T) {
	t.Parallel()
	ticket, at := uuid.New(), time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	entry := func(of string, ticket uuid.UUID, at time.Time, amount, balance money.Amount) ledger.Entry {
		return ledger.Entry{Place: ledger.Place{Type: of, Time: at}, TicketID: ticket, Amount: amount, Balance: balance}
	}
	sums := []ledger.Entry{
		entry(models.TransactionCommission, uuid.Nil, time.Time{}, -10, 140), entry(models.TransactionSale, uuid.Nil, time.Time{}, 100, 150),
	}
	for name, try := range map[string]struct {
		entries  []ledger.Entry
		types    []string
		balances []money.Amount
	}{
		"a ticket": {
			[]ledger.Entry{entry(models.TransactionCommission, ticket, at, 10, -40), entry(models.TransactionSale, ticket, at, -100, -50)},
			[]string{models.TransactionSale, models.TransactionCommission}, []money.Amount{-40, 60},
		},
		"two tickets": {
			[]ledger.Entry{entry(models.TransactionCommission, ticket, at, 10, -40), entry(models.TransactionSale, uuid.New(), at, -100, -50)},
			[]string{models.TransactionCommission, models.TransactionSale}, []money.Amount{-40, -50},
		},
		"two days": {sums, []string{models.TransactionCommission, models.TransactionSale}, []money.Amount{140, 150}},
	} {
		salesFirst(try.entries)
		assert.Equal(t, try.types, kit.Map(try.entries, func(e *ledger.Entry) string { return e.Type }), name)
		assert.Equal(t, try.balances, kit.Map(try.entries, func(e *ledger.Entry) money.Amount { return e.Balance }), name)
	}
}

// Entries of one concept are one sum; a reversal is another concept than what it reverses.
func TestEntriesAreSummedByConcept(t *testing.T) {
	t.Parallel()
	entry := func(of string, reverses uuid.UUID, amount money.Amount) ledger.Entry {
		return ledger.Entry{Place: ledger.Place{Type: of, TransactionID: uuid.New()}, ReversesID: reverses, Amount: amount, Transactions: 1}
	}
	sums := sumUp([]ledger.Entry{
		entry(models.TransactionSale, uuid.Nil, -100), entry(models.TransactionCommission, uuid.Nil, 10), entry(models.TransactionSale, uuid.Nil, -50), entry(models.TransactionSale, uuid.New(), 50),
	})
	assert.Equal(t, []string{models.TransactionSale, models.TransactionCommission, "reversal." + models.TransactionSale}, kit.Map(sums, (*ledger.Entry).Concept))
	assert.Equal(t, []money.Amount{-150, 10, 50}, kit.Map(sums, func(e *ledger.Entry) money.Amount { return e.Amount }))
	assert.EqualValues(t, 2, sums[0].Transactions)
	assert.True(t, sums[0].IsSum())
}
