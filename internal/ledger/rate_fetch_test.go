package ledger_test

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/exchange"
	"banca/models"
)

// rateBooks are books with a simulated source of the rates of USD/VES and EUR/VES.
type rateBooks struct {
	*branch

	source *simulators.Rates
	usd    ledger.Currency
	today  businessday.Day
}

func setupRates(t *testing.T) *rateBooks {
	t.Helper()
	b := &rateBooks{branch: setupBranch(t), source: simulators.NewRates(simulators.RatesConfig{Location: time.UTC, Clock: clock.System{}})}
	server := httptest.NewServer(b.source)
	t.Cleanup(server.Close)
	client, err := exchange.New(exchange.Options{
		URL: server.URL + "/rates", Timeout: 300 * time.Millisecond, Pairs: []exchange.Pair{{Base: "USD", Quote: "VES"}, {Base: "EUR", Quote: "VES"}},
	})
	require.NoError(t, err)
	b.Service = ledger.New(b.pg, ledger.Options{Zone: time.UTC, Rates: client, MaxRateChange: 25})
	for _, code := range []string{"USD", "EUR"} {
		c, err := b.CreateCurrency(t.Context(), ledger.CurrencyFields{Code: code, Name: code, Digits: 2, Status: models.StatusActive})
		require.NoError(t, err)
		if code == "USD" {
			b.usd = c
		}
	}
	b.today = businessday.Of(time.Now(), time.UTC)
	return b
}

func (b *rateBooks) fetch(t *testing.T) (outcomes, reasons []string) {
	t.Helper()
	fetches, err := b.FetchRates(t.Context())
	if err != nil {
		require.ErrorIs(t, err, exchange.ErrUnavailable)
	}
	for _, f := range fetches {
		require.NotZero(t, f.At)
		outcomes, reasons = append(outcomes, f.Outcome), append(reasons, f.Reason)
	}
	return outcomes, reasons
}

// rates returns the stored rates of USD.
func (b *rateBooks) rates(t *testing.T) []ledger.ExchangeRate {
	t.Helper()
	list, _, err := b.Rates(t.Context(), &ledger.RateFilter{CurrencyID: b.usd.ID, Limit: 100})
	require.NoError(t, err)
	return list
}

func (b *rateBooks) typed(t *testing.T, day businessday.Day, rate string) {
	t.Helper()
	_, err := b.SetRate(t.Context(), b.operator, &ledger.RateRequest{BaseID: b.usd.ID, Quote: "VES", Day: day, Rate: rate})
	require.NoError(t, err)
}

func TestRatesAreFetchedOnceADay(t *testing.T) {
	t.Parallel()
	b := setupRates(t)
	outcomes, _ := b.fetch(t)
	require.Equal(t, []string{ledger.FetchSaved, ledger.FetchSaved}, outcomes)
	first := b.rates(t)
	require.Len(t, first, 1)
	require.Equal(t, ledger.RateFetched, first[0].Source)
	require.Equal(t, b.today, first[0].Day)
	outcomes, _ = b.fetch(t)
	require.Equal(t, []string{ledger.FetchUnchanged, ledger.FetchUnchanged}, outcomes)
	again := b.rates(t)
	require.Equal(t, first[0].Rate, again[0].Rate)
	require.True(t, again[0].UpdatedAt.After(first[0].UpdatedAt), "the time of the last fetch")
	require.EqualValues(t, 2, b.count(t, `SELECT count(*) FROM activity_logs WHERE action = 'fetch_rate'`), "what did not change is no entry")
	list, total, err := b.RateFetches(t.Context(), b.usd.ID, 10, 0)
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	require.Equal(t, []any{ledger.FetchUnchanged, exchange.Pair{Base: "USD", Quote: "VES"}, first[0].Rate, b.today}, []any{list[0].Outcome, list[0].Pair, list[0].Rate, list[0].Day})
	require.NoError(t, b.RequestRates(t.Context()))
	require.EqualValues(t, 1, b.count(t, `SELECT count(*) FROM activity_logs WHERE module = 'currencies' AND action = 'fetch_rates'`))
	require.EqualValues(t, 1, b.count(t, `SELECT count(*) FROM outbox WHERE kind = 'rate.fetch'`))
}

func TestATypedRateIsNeverReplaced(t *testing.T) {
	t.Parallel()
	b := setupRates(t)
	b.typed(t, b.today, "900")
	outcomes, _ := b.fetch(t)
	require.Equal(t, []string{ledger.FetchTyped, ledger.FetchSaved}, outcomes)
	list := b.rates(t)
	require.Equal(t, []any{"900.00", ledger.RateTyped}, []any{list[0].Rate.String(), list[0].Source})
}

// What a source answers wrongly changes no rate, and its outcome says why.
func TestWrongAnswersChangeNothing(t *testing.T) {
	t.Parallel()
	b := setupRates(t)
	b.fetch(t)
	before := b.rates(t)
	for mode, want := range map[string]string{
		simulators.RatesSilent: ledger.ReasonUnavailable, simulators.RatesGarbage: ledger.ReasonDocument, simulators.RatesNegative: ledger.ReasonInvalid,
		simulators.RatesZero: ledger.ReasonInvalid, simulators.RatesHuge: ledger.ReasonInvalid, simulators.RatesJump: ledger.ReasonJump,
		simulators.RatesWrongCurrency: ledger.ReasonMissing, simulators.RatesOld: ledger.ReasonDay, simulators.RatesRedirect: ledger.ReasonSource,
		simulators.RatesSlow: ledger.ReasonUnavailable,
	} {
		require.True(t, b.source.SetFault(simulators.Fault{Mode: mode, DelayMS: 2_000}))
		outcomes, reasons := b.fetch(t)
		outcome := ledger.FetchRefused
		if want == ledger.ReasonUnavailable {
			outcome = ledger.FetchFailed
		}
		require.Equal(t, []string{outcome, outcome}, outcomes, mode)
		require.Equal(t, []string{want, want}, reasons, mode)
		require.Equal(t, before, b.rates(t), mode)
	}
	require.True(t, b.source.SetFault(simulators.Fault{Mode: "ok"}))
	outcomes, _ := b.fetch(t)
	require.Equal(t, []string{ledger.FetchUnchanged, ledger.FetchUnchanged}, outcomes)
	require.EqualValues(t, len(simulators.RatesModes())*2+4, b.count(t, `SELECT count(*) FROM rate_fetches`))
}

func TestJumpsAreMeasuredFromTheLastRate(t *testing.T) {
	t.Parallel()
	b := setupRates(t)
	b.typed(t, b.today.AddDays(-3), "100")
	_, reasons := b.fetch(t)
	require.Equal(t, []string{ledger.ReasonJump, ""}, reasons, "240 after 100")
	b.typed(t, b.today.AddDays(-1), "230")
	outcomes, _ := b.fetch(t)
	require.Equal(t, ledger.FetchSaved, outcomes[0], "a person has typed how it moved")

	c := setupRates(t)
	_, err := c.SetRate(t.Context(), c.operator, &ledger.RateRequest{BaseID: c.currency, Quote: "USD", Day: c.today.AddDays(-1), Rate: "0.01"})
	require.NoError(t, err)
	_, reasons = c.fetch(t)
	require.Equal(t, ledger.ReasonJump, reasons[0], "a rate of the other direction is inverted")
	_, err = c.SetRate(t.Context(), c.operator, &ledger.RateRequest{BaseID: c.currency, Quote: "USD", Day: c.today, Rate: "0.0041"})
	require.NoError(t, err)
	_, reasons = c.fetch(t)
	require.Equal(t, ledger.ReasonOpposite, reasons[0])
}

func TestRatesOfInactiveCurrenciesAreRefused(t *testing.T) {
	t.Parallel()
	b := setupRates(t)
	_, err := b.UpdateCurrency(t.Context(), b.usd.ID, ledger.CurrencyFields{Code: "USD", Name: "USD", Digits: 2, Status: models.StatusInactive})
	require.NoError(t, err)
	_, reasons := b.fetch(t)
	require.Equal(t, []string{ledger.ReasonCurrency, ""}, reasons)
	none := setupBranch(t)
	fetches, err := none.FetchRates(t.Context())
	require.NoError(t, err)
	require.Empty(t, fetches)
	require.ErrorIs(t, none.RequestRates(t.Context()), ledger.ErrNoRateSource)
}

func TestConcurrentFetchesStoreOneRate(t *testing.T) {
	t.Parallel()
	b := setupRates(t)
	var running sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		running.Go(func() { _, errs[i] = b.FetchRates(t.Context()) })
	}
	running.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Len(t, b.rates(t), 1)
	require.EqualValues(t, 2, b.count(t, `SELECT count(*) FROM exchange_rates`))
}
