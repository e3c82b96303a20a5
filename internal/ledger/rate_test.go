package ledger_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
)

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"245.6648": "245.6648", "1": "1.00", "0.00000001": "0.00000001", "999999999.99999999": "999999999.99999999", "2.50": "2.50", "0.5": "0.50"} {
		r, err := ledger.ParseRate(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r.String())
	}
	for _, text := range []string{"", "0", "0.000", "-1", "+1", "1.", ".5", "1,5", "1e3", "0.000000001", "1000000000", "NaN", " 1", "1.2.3", "٣"} {
		_, err := ledger.ParseRate(text)
		require.ErrorIs(t, err, ledger.ErrRateInvalid, "%q", text)
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	usd, ves := ledger.Currency{ID: uuid.New(), Code: "USD", Digits: 2}, ledger.Currency{ID: uuid.New(), Code: "VES", Digits: 2}
	rate, err := ledger.ParseRate("245.6648")
	require.NoError(t, err)
	x := ledger.ExchangeRate{Base: usd, Quote: ves, Rate: rate}
	for _, c := range []struct {
		amount, want money.Amount
		from         uuid.UUID
	}{
		{10_00, 2456_65, usd.ID}, {-10_00, -2456_65, usd.ID}, {2456_65, 10_00, ves.ID}, {0, 0, ves.ID}, {1, 0, ves.ID}, {123, 1, ves.ID}, {122, 0, ves.ID}, {-123, -1, ves.ID},
	} {
		got, ok := x.Convert(c.amount, c.from)
		require.True(t, ok)
		require.Equal(t, c.want, got)
	}
	cop := ledger.Currency{ID: uuid.New(), Digits: 0}
	x = ledger.ExchangeRate{Base: usd, Quote: cop, Rate: 4_000 * 100_000_000}
	got, ok := x.Convert(1_50, usd.ID)
	require.True(t, ok)
	require.EqualValues(t, 6_000, got)
	x.Rate = 999_999_999 * 100_000_000
	_, ok = x.Convert(1<<62, usd.ID)
	require.False(t, ok, "what is not an amount is left out")
	rapid.Check(t, func(t *rapid.T) {
		x.Rate = ledger.Rate(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "rate"))
		a := money.Amount(rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(t, "amount"))
		there, ok := x.Convert(a, usd.ID)
		require.True(t, ok)
		opposite, _ := x.Convert(-a, usd.ID)
		require.Equal(t, -there, opposite)
	})
}

func TestRatesOfADay(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	usd, err := b.CreateCurrency(t.Context(), ledger.CurrencyFields{Code: "USD", Name: "US dollar", Symbol: "$", Digits: 2, Status: models.StatusActive})
	require.NoError(t, err)
	today := businessday.Of(time.Now(), time.UTC)
	set := func(base uuid.UUID, quote string, day businessday.Day, rate string) error {
		_, err := b.SetRate(t.Context(), b.operator, &ledger.RateRequest{BaseID: base, Quote: quote, Day: day, Rate: rate})
		return err
	}
	require.NoError(t, set(usd.ID, "VES", today.AddDays(-3), "200"))
	require.NoError(t, set(usd.ID, "VES", today.AddDays(-1), "210"))
	require.NoError(t, set(usd.ID, "VES", today.AddDays(-1), "211.5"), "a typed rate is typed again")
	require.NoError(t, set(usd.ID, "VES", today.AddDays(1), "300"))
	require.ErrorIs(t, set(b.currency, "USD", today, "x"), ledger.ErrRateInvalid)
	require.ErrorIs(t, set(b.currency, "USD", today.AddDays(-1), "0.0047"), ledger.ErrRateFixed, "one direction a day")
	require.ErrorIs(t, set(usd.ID, "USD", today, "1"), ledger.ErrRateInvalid)
	require.ErrorIs(t, set(usd.ID, "XXX", today, "1"), ledger.ErrCurrencyNotFound)
	require.ErrorIs(t, set(uuid.New(), "USD", today, "1"), ledger.ErrCurrencyUnknown)
	require.ErrorIs(t, set(usd.ID, "VES", today.AddDays(2), "1"), ledger.ErrRateInvalid)
	require.ErrorIs(t, set(usd.ID, "VES", today.AddMonths(-121), "1"), ledger.ErrRateInvalid)
	for day, want := range map[businessday.Day]string{today: "211.50", today.AddDays(-2): "200.00", {}: "211.50", today.AddDays(1): "300.00"} {
		rates, err := b.Equivalents(t.Context(), usd, day)
		require.NoError(t, err)
		x := rates[b.currency]
		require.Equal(t, want, x.Rate.String(), day)
	}
	rates, err := b.Equivalents(t.Context(), usd, today.AddDays(-4))
	require.NoError(t, err)
	require.Empty(t, rates)
	list, total, err := b.Rates(t.Context(), &ledger.RateFilter{CurrencyID: b.currency, Other: "USD", To: today, Limit: 1})
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	require.Equal(t, []any{"USD", "VES", ledger.RateTyped, b.operator.UserID}, []any{list[0].Base.Code, list[0].Quote.Code, list[0].Source, list[0].UserID})
	gone := &ledger.RateRequest{BaseID: usd.ID, Quote: "VES", Day: today.AddDays(-3)}
	require.NoError(t, b.DeleteRate(t.Context(), gone))
	require.ErrorIs(t, b.DeleteRate(t.Context(), gone), ledger.ErrRateUnknown)
	require.EqualValues(t, 6, b.count(t, `SELECT count(*) FROM activity_logs WHERE module = 'currencies'`))
}

func TestCurrenciesAreWritten(t *testing.T) {
	t.Parallel()
	b := setupBranch(t)
	fields := ledger.CurrencyFields{Code: "EUR", Name: " Euro ", Symbol: "€", Digits: 2, Status: models.StatusActive}
	eur, err := b.CreateCurrency(t.Context(), fields)
	require.NoError(t, err)
	require.Equal(t, "Euro", eur.Name)
	_, err = b.CreateCurrency(t.Context(), fields)
	require.ErrorIs(t, err, ledger.ErrCurrencyExists)
	for _, bad := range []ledger.CurrencyFields{
		{Code: "eur", Name: "x", Status: "active"}, {Code: "EU", Name: "x", Status: "active"}, {Code: "EUS", Name: "", Status: "active"}, {Code: "EUS", Name: "x", Digits: 5, Status: "active"},
		{Code: "EUS", Name: "x", Digits: -1, Status: "active"}, {Code: "EUS", Name: "x", Status: "gone"}, {Code: "EUS", Name: "x\x00", Status: "active"},
	} {
		_, err = b.CreateCurrency(t.Context(), bad)
		require.ErrorIs(t, err, ledger.ErrCurrencyInvalid, "%+v", bad)
	}
	other := ledger.CurrencyFields{Code: "EUS", Name: "x", Symbol: "€", Status: models.StatusActive}
	_, err = b.CreateCurrency(t.Context(), other)
	require.ErrorIs(t, err, ledger.ErrCurrencyInvalid, "receipts could not tell the two apart")
	other.Symbol = ""
	eus, err := b.CreateCurrency(t.Context(), other)
	require.NoError(t, err)
	other.Symbol = "€"
	_, err = b.UpdateCurrency(t.Context(), eus.ID, other)
	require.ErrorIs(t, err, ledger.ErrCurrencyInvalid)
	require.NoError(t, b.DeleteCurrency(t.Context(), eus.ID))
	found, err := b.FindCurrency(t.Context(), "EUR")
	require.NoError(t, err)
	require.Equal(t, eur, found)

	fields.Digits, fields.Code = 3, "EUX"
	_, err = b.UpdateCurrency(t.Context(), eur.ID, fields)
	require.NoError(t, err, "an unused currency changes")
	_, err = b.FindCurrency(t.Context(), "EUR")
	require.ErrorIs(t, err, ledger.ErrCurrencyUnknown, "this process forgets the earlier code")
	_, err = b.MainWallets(t.Context(), eur.ID, b.owner(t, point))
	require.NoError(t, err)
	fields.Digits = 2
	_, err = b.UpdateCurrency(t.Context(), eur.ID, fields)
	require.ErrorIs(t, err, ledger.ErrCurrencyUsed)
	fields.Digits, fields.Status = 3, models.StatusInactive
	c, err := b.UpdateCurrency(t.Context(), eur.ID, fields)
	require.NoError(t, err)
	require.Equal(t, models.StatusInactive, c.Status)
	_, err = b.Currency(t.Context(), "EUX")
	require.ErrorIs(t, err, ledger.ErrCurrencyNotFound)
	require.ErrorIs(t, b.DeleteCurrency(t.Context(), eur.ID), ledger.ErrCurrencyUsed)
	_, err = b.UpdateCurrency(t.Context(), uuid.New(), ledger.CurrencyFields{Code: "ABC", Name: "x", Status: "active"})
	require.ErrorIs(t, err, ledger.ErrCurrencyUnknown)

	gone, err := b.CreateCurrency(t.Context(), ledger.CurrencyFields{Code: "GON", Name: "Gone", Status: models.StatusActive})
	require.NoError(t, err)
	_, err = b.SetRate(t.Context(), b.operator, &ledger.RateRequest{BaseID: gone.ID, Quote: "VES", Day: businessday.Of(time.Now(), time.UTC), Rate: "2"})
	require.NoError(t, err)
	require.NoError(t, b.DeleteCurrency(t.Context(), gone.ID), "its rates go with it")
	require.ErrorIs(t, b.DeleteCurrency(t.Context(), gone.ID), ledger.ErrCurrencyUnknown)
	_, err = b.FindCurrency(t.Context(), gone.ID.String())
	require.ErrorIs(t, err, ledger.ErrCurrencyUnknown)
}
