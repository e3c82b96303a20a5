package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/exchange"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Outcomes of a fetch of one pair.
const (
	FetchSaved     = "saved"
	FetchUnchanged = "unchanged" // the stored rate is the same
	FetchTyped     = "typed"     // a person typed the rate of the day, which stays
	FetchRefused   = "refused"   // the answer cannot be used
	FetchFailed    = "failed"    // there was no answer; the task repeats it
)

// Reasons why a rate was not fetched.
const (
	ReasonUnavailable = "unavailable" // no answer
	ReasonSource      = "source"      // the source refuses the request or redirects it
	ReasonDocument    = "document"    // not a document of the expected form
	ReasonMissing     = "missing"     // the answer has no rate of the pair
	ReasonInvalid     = "invalid"     // not a positive decimal within the bounds of a rate
	ReasonDay         = "day"         // too far from today
	ReasonJump        = "jump"        // too far from the last rate of the pair
	ReasonOpposite    = "opposite"    // the pair is quoted in the other direction on this day
	ReasonCurrency    = "currency"    // there is no such active currency
)

// Bounds of a fetched rate. A source publishes the rate of the next business day before a weekend, and on a holiday
// that of a day before.
const (
	fetchedDaysPast  = 7
	fetchedDaysAhead = 7
	fetchesKept      = 90 * 24 * time.Hour
)

// ErrNoRateSource refuses a fetch where no source is configured.
var ErrNoRateSource = apperr.New(
	apperr.Conflict, "RATES_NO_SOURCE", "no source of exchange rates is configured; type the rates",
)

// RateFetch is what came of a fetch of one pair.
type RateFetch struct {
	At      time.Time
	Source  string // host
	Pair    exchange.Pair
	Day     businessday.Day // zero without an answer
	Rate    Rate            // 0 without one
	Outcome string
	Reason  string // of FetchRefused and FetchFailed
}

// RateSource returns the host of the configured source; "" for none.
func (s *Service) RateSource() string {
	if s.options.Rates == nil {
		return ""
	}
	return s.options.Rates.Source()
}

// RequestRates enqueues a fetch. Errors: ErrNoRateSource.
func (s *Service) RequestRates(ctx context.Context) error {
	if s.options.Rates == nil {
		return ErrNoRateSource
	}
	row, err := outbox.NewRow(tasks.RateFetch{})
	if err != nil {
		return err
	}
	return s.pg.Retried(ctx, func(tx pgx.Tx) error {
		if err := outbox.EnqueueTx(ctx, tx, row); err != nil {
			return err
		}
		return activity.RecordOperatorTx(ctx, tx, activity.Entry{
			Action: activity.CurrenciesFetchRates, Details: map[string]any{"source": s.options.Rates.Source()},
		})
	})
}

// FetchRates asks the source for the rates of today and stores those that are plausible. It is the task rate.fetch. A
// repetition stores the same rates again, and a typed rate is never replaced. The fetches have an outcome for each
// pair, also beside an error. Errors: exchange.ErrUnavailable, after which the task is repeated.
func (s *Service) FetchRates(ctx context.Context) ([]RateFetch, error) {
	if s.options.Rates == nil {
		return nil, nil
	}
	now, err := storage.Now(ctx, s.pg.Pool)
	if err != nil {
		return nil, err
	}
	today := businessday.Of(now, s.options.Zone)
	answer, failure := s.options.Rates.Fetch(ctx, today)
	fetches := make([]RateFetch, 0, len(s.options.Rates.Pairs()))
	for _, pair := range s.options.Rates.Pairs() {
		f := RateFetch{Source: s.options.Rates.Source(), Pair: pair}
		if failure != nil {
			f.fail(failure)
		} else if err := s.takeRate(ctx, &f, answer, today); err != nil {
			return fetches, err
		}
		fetches = append(fetches, f)
	}
	if err := s.recordFetches(context.WithoutCancel(ctx), fetches); err != nil {
		return fetches, err
	}
	if errors.Is(failure, exchange.ErrUnavailable) {
		return fetches, failure
	}
	return fetches, nil
}

// fail sets the outcome of a call without an answer.
func (f *RateFetch) fail(err error) {
	switch {
	case errors.Is(err, exchange.ErrMalformed):
		f.Outcome, f.Reason = FetchRefused, ReasonDocument
	case errors.Is(err, exchange.ErrRefused):
		f.Outcome, f.Reason = FetchRefused, ReasonSource
	default:
		f.Outcome, f.Reason = FetchFailed, ReasonUnavailable
	}
}

func (f *RateFetch) refuse(reason string) { f.Outcome, f.Reason = FetchRefused, reason }

// check takes the day and the rate of the pair from an answer, and returns why they are refused; "" if they are not.
func (f *RateFetch) check(answer *exchange.Answer, today businessday.Day) (reason string) {
	f.Day = answer.Day
	text, found := answer.Rates[f.Pair]
	if !found {
		return ReasonMissing
	}
	rate, err := ParseRate(text)
	if err != nil {
		return ReasonInvalid
	}
	f.Rate = rate
	if f.Day.Before(today.AddDays(-fetchedDaysPast)) || f.Day.After(today.AddDays(fetchedDaysAhead)) {
		return ReasonDay
	}
	return ""
}

// takeRate checks and stores the rate of a pair, and sets the outcome. An error is one of the database.
func (s *Service) takeRate(ctx context.Context, f *RateFetch, answer *exchange.Answer, today businessday.Day) error {
	if reason := f.check(answer, today); reason != "" {
		f.refuse(reason)
		return nil
	}
	x := ExchangeRate{Day: f.Day, Rate: f.Rate, Source: RateFetched}
	var err error
	for code, c := range map[string]*Currency{f.Pair.Base: &x.Base, f.Pair.Quote: &x.Quote} {
		if *c, err = s.Currency(ctx, code); errors.Is(err, ErrCurrencyNotFound) {
			f.refuse(ReasonCurrency)
			return nil
		} else if err != nil {
			return err
		}
	}
	err = s.pg.Retried(ctx, func(tx pgx.Tx) error { return s.storeFetchedTx(ctx, tx, f, &x) })
	if storage.Violates(err, ratePairKey) {
		f.refuse(ReasonOpposite)
		return nil
	}
	return err
}

func (s *Service) storeFetchedTx(ctx context.Context, tx pgx.Tx, f *RateFetch, x *ExchangeRate) error {
	f.Outcome, f.Reason = "", ""
	last, err := lastRateTx(ctx, tx, x)
	switch {
	case err != nil:
		return err
	case last.Day == x.Day && last.Source == RateTyped && last.Base.ID == x.Base.ID:
		f.Outcome = FetchTyped
		return nil
	case last.Rate != 0 && jumps(last.in(x), x.Rate, s.options.MaxRateChange):
		f.refuse(ReasonJump)
		return nil
	}
	before, err := rateOnTx(ctx, tx, x)
	if err != nil {
		return err
	}
	if err := putRateTx(ctx, tx, x); err != nil {
		return err
	}
	switch {
	case x.UpdatedAt.IsZero(): // typed meanwhile
		f.Outcome = FetchTyped
		return nil
	case before == x.Rate:
		f.Outcome = FetchUnchanged
		return nil
	}
	f.Outcome = FetchSaved
	return recordRate(ctx, tx, activity.CurrenciesFetchRate, x, before)
}

// lastRateTx returns the last rate of the pair of x, in any direction, on or before its day; the zero ExchangeRate
// without one.
func lastRateTx(ctx context.Context, tx pgx.Tx, x *ExchangeRate) (last ExchangeRate, err error) {
	err = tx.QueryRow(ctx, `SELECT base_id, day, rate, source FROM exchange_rates
		WHERE least(base_id, quote_id) = least($1::uuid, $2::uuid) AND greatest(base_id, quote_id) = greatest($1::uuid, $2::uuid) AND day <= $3
		ORDER BY day DESC LIMIT 1`, x.Base.ID, x.Quote.ID, x.Day).Scan(&last.Base.ID, &last.Day, &last.Rate, &last.Source)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return last, fmt.Errorf("last rate: %w", err)
	}
	return last, nil
}

// in returns the rate in the direction of another one of the pair.
func (x *ExchangeRate) in(other *ExchangeRate) Rate {
	if x.Base.ID == other.Base.ID {
		return x.Rate
	}
	return rateUnit * rateUnit / x.Rate
}

// jumps reports whether a rate differs from the last one by more than so many percent of it.
func jumps(last, rate Rate, percent int) bool {
	change := new(big.Int).Abs(big.NewInt(int64(rate - last)))
	return change.Mul(change, big.NewInt(100)).Cmp(new(big.Int).Mul(big.NewInt(int64(last)), big.NewInt(int64(percent)))) > 0
}

// recordFetches keeps the outcomes, and drops old ones.
func (s *Service) recordFetches(ctx context.Context, fetches []RateFetch) error {
	return s.pg.Retried(ctx, func(tx pgx.Tx) error {
		for i := range fetches {
			f := &fetches[i]
			err := tx.QueryRow(ctx, `INSERT INTO rate_fetches (id, fetched_at, source, base, quote, day, rate, outcome, reason)
				VALUES ($1, clock_timestamp(), $2, $3, $4, $5, nullif($6::bigint, 0), $7, $8) RETURNING fetched_at`,
				uuid.Must(uuid.NewV7()), f.Source, f.Pair.Base, f.Pair.Quote, models.Optional(f.Day), int64(f.Rate), f.Outcome, f.Reason).Scan(&f.At)
			if err != nil {
				return fmt.Errorf("record fetch of a rate: %w", err)
			}
		}
		if _, err := tx.Exec(ctx, `DELETE FROM rate_fetches WHERE fetched_at < clock_timestamp() - $1::interval`, fetchesKept); err != nil {
			return fmt.Errorf("drop old fetches: %w", err)
		}
		return nil
	})
}

// RateFetches lists what came of fetching the rates of a currency, newest first, and returns their number. Errors:
// ErrCurrencyUnknown.
func (s *Service) RateFetches(ctx context.Context, currency uuid.UUID, limit, offset int) ([]RateFetch, int64, error) {
	c, err := s.CurrencyByID(ctx, currency)
	if err != nil {
		return nil, 0, err
	}
	w := &storage.Where{}
	code := w.Arg(c.Code)
	w.And(`(base = ` + code + ` OR quote = ` + code + `)`)
	rows, total, err := storage.List(ctx, s.pg.Pool, &storage.Listing{
		Columns: `fetched_at, source, base, quote, day, coalesce(rate, 0), outcome, reason`, From: `FROM rate_fetches`,
		Where: w, Order: `fetched_at DESC, id DESC`,
	}, scanFetch, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list fetches of rates: %w", err)
	}
	return rows, total, nil
}

func scanFetch(row pgx.CollectableRow) (f RateFetch, err error) {
	var day *businessday.Day
	err = row.Scan(&f.At, &f.Source, &f.Pair.Base, &f.Pair.Quote, &day, &f.Rate, &f.Outcome, &f.Reason)
	if day != nil {
		f.Day = *day
	}
	f.At = f.At.UTC()
	return f, err
}
