package closes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/closes"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// pay sells a ticket of 100.00 with payments and change.
func (b *bundle) pay(t testing.TB, draw *catalog.Draw, paid []sales.PaymentItem, change ...sales.ChangeItem) *sales.Ticket {
	t.Helper()
	req := fixture.Ticket(fixture.Line(draw, catalog.BetStraight, "100.00", "5"))
	req.EntityID, req.Payments, req.Change = point, paid, change
	sold, err := b.sales.Sell(t.Context(), b.by, req)
	require.NoError(t, err)
	return &sold.Ticket
}

// taken are the means of a close in short.
func taken(list []closes.Means) string {
	rows := make([]string, len(list))
	for i, m := range list {
		counted := "-"
		if m.Counted != nil {
			counted = m.Counted.Format(m.Currency.Digits)
		}
		rows[i] = fmt.Sprintf("%s %s %s of %s", m.Means, m.Currency.Code, counted, m.Expected.Format(m.Currency.Digits))
	}
	return strings.Join(rows, ", ")
}

// What is paid otherwise than in cash of the currency is a row of the close, of the handover and of the close above, expected and counted; the
// drawer has the rest. A cancellation takes it back on the day on which it happens.
func TestMeansOfPaymentAreRowsOfTheClose(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sales.Options.PaymentCurrency = "VES"
	dollar, err := b.Ledger.Currency(t.Context(), "USD")
	require.NoError(t, err)
	_, err = b.Ledger.SetRate(t.Context(), b.by, &ledger.RateRequest{BaseID: dollar.ID, Quote: "VES", Day: b.today(), Rate: "40"})
	require.NoError(t, err)
	open := b.OpenDraws(t, "lotto-activo")
	draw := open[len(open)-1]
	day := b.open(t, point)

	b.pay(t, draw, nil)                                                                                                               // 100.00 in cash
	b.pay(t, draw, []sales.PaymentItem{{Means: "card", Amount: "70"}, {Means: "cash", Amount: "50"}}, sales.ChangeItem{Amount: "20"}) // 30.00 in cash
	b.pay(t, draw, []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "10"}},
		sales.ChangeItem{Currency: "USD", Amount: "7"}, sales.ChangeItem{Amount: "20"}) // 3.00 dollars, -20.00 in cash
	later := b.pay(t, draw, []sales.PaymentItem{{Means: "card", Amount: "100"}})
	gone := b.pay(t, draw, []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "2.5"}})
	b.cancel(t, gone)
	b.move(t, point, 60_00) // the credit of the bank is a deposit
	b.Exec(t, `INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, answer, entity_id, wallet_id, transaction_id, event_id, received_at)
		SELECT w.id, '0134', '000000005678', $2, 6000, w.currency_id, 'credited', true, $1, w.id, w.entity_id, w.id, now() FROM wallets w WHERE w.entity_id = $1 AND w.kind = 'main' AND w.currency_id = $3`,
		point, b.today(), seed.ID("currency", "VES"))
	b.pay(t, draw, []sales.PaymentItem{{Means: "mobile", Amount: "60", Reference: "5678"}, {Means: "cash", Amount: "40"}})

	list := b.ofDay(t, point, b.today())
	require.Equal(t, "card VES - of 170.00, cash USD - of 3.00, mobile VES - of 60.00", taken(list[0].Means))
	require.EqualValues(t, 290_00, list[0].NotCash)
	require.EqualValues(t, 150_00, list[0].ExpectedCash(), "100 + 30 - 20 + 40")

	count := closes.Cash{Other: "150", Means: []closes.TypedMeans{{Means: "card", Currency: "VES", Amount: "170"}, {Means: "cash", Currency: "USD", Amount: "2"}}}
	given, _, err := b.HandOver(t.Context(), b.by, &closes.HandOverRequest{CloseID: day.ID, Cash: count})
	require.NoError(t, err)
	require.Equal(t, "card VES 170.00 of 170.00, cash USD 2.00 of 3.00, mobile VES - of 60.00", taken(given.Means))
	require.Zero(t, given.Variance())
	for _, wrong := range []closes.TypedMeans{{Means: "cash", Currency: "VES", Amount: "1"}, {Means: "card", Currency: "XYZ", Amount: "1"}, {Means: "gold", Currency: "VES", Amount: "1"}, {Means: "card", Currency: "VES", Amount: "x"}} {
		_, _, err := b.Close(t.Context(), b.by, &closes.CloseRequest{ID: day.ID, Cash: closes.Cash{Means: []closes.TypedMeans{wrong}}})
		require.Equal(t, "CASH_INVALID", apperr.CodeOf(err), "%v", wrong)
	}
	count.Means[1].Amount = "3"
	closed, _, err := b.Close(t.Context(), b.by, &closes.CloseRequest{ID: day.ID, Cash: count})
	require.NoError(t, err)
	require.Equal(t, "card VES 170.00 of 170.00, cash USD 3.00 of 3.00, mobile VES - of 60.00", taken(closed.Means))
	require.Zero(t, closed.Variance())
	_, _, err = b.Receipt(t.Context(), b.by, closed.ID, "")
	require.NoError(t, err)

	b.cancel(t, later)
	b.next()
	second := b.open(t, point)
	current, err := b.Get(t.Context(), b.by, second.ID)
	require.NoError(t, err)
	require.Equal(t, "card VES - of -100.00", taken(current.Means), "a late event of the day before")
	require.Zero(t, current.ExpectedCash())
	b.requireSound(t)
}

// A currency that was only counted in a drawer is used: without it the close could not be read.
func TestACountedCurrencyStays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	counted := func(code string) (uuid.UUID, closes.Cash) {
		c, err := b.Ledger.CreateCurrency(t.Context(), ledger.CurrencyFields{Code: code, Name: code, Digits: 2, Status: "active"})
		require.NoError(t, err)
		return c.ID, closes.Cash{Means: []closes.TypedMeans{{Means: "cash", Currency: code, Amount: "5"}}}
	}
	given, handover := counted("CHF")
	closed, count := counted("SEK")
	day := b.open(t, point)
	_, _, err := b.HandOver(t.Context(), b.by, &closes.HandOverRequest{CloseID: day.ID, Cash: handover})
	require.NoError(t, err)
	_, _, err = b.Close(t.Context(), b.by, &closes.CloseRequest{ID: day.ID, Cash: count})
	require.NoError(t, err)
	for _, id := range []uuid.UUID{given, closed} {
		require.ErrorIs(t, b.Ledger.DeleteCurrency(t.Context(), id), ledger.ErrCurrencyUsed)
	}
	again, err := b.Get(t.Context(), b.by, day.ID)
	require.NoError(t, err)
	require.Equal(t, "cash SEK 5.00 of 0.00", taken(again.Means))
}
