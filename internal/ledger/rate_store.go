package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// RateRequest asks to set the rate of a pair on a day.
type RateRequest struct {
	BaseID uuid.UUID
	Quote  string // code or id
	Day    businessday.Day
	Rate   string // a positive decimal: units of the quote for one of the base
}

// Bounds of the day of a rate.
const (
	rateDaysAhead = 1
	rateYears     = 10
)

const ratePairKey = "exchange_rates_pair"

// SetRate sets the rate that a person types, in place of one that was fetched or typed before. Errors:
// ErrCurrencyUnknown, ErrCurrencyNotFound, ErrRateInvalid, ErrRateFixed.
func (s *Service) SetRate(ctx context.Context, by caller.Caller, r *RateRequest) (ExchangeRate, error) {
	x, err := s.rateOf(ctx, r)
	if err != nil {
		return ExchangeRate{}, err
	}
	x.Source, x.UserID = RateTyped, by.UserID
	err = s.pg.Retried(ctx, func(tx pgx.Tx) error {
		if err := s.checkRateDay(ctx, tx, x.Day); err != nil {
			return err
		}
		before, err := rateOnTx(ctx, tx, &x)
		if err != nil {
			return err
		}
		if err := putRateTx(ctx, tx, &x); err != nil {
			return err
		}
		return recordRate(ctx, tx, activity.CurrenciesRate, &x, before)
	})
	if storage.Violates(err, ratePairKey) {
		return ExchangeRate{}, ErrRateFixed
	}
	return x, err
}

// SetRateTx sets the rate that a person types in the caller's transaction, which may have created its currencies.
func SetRateTx(ctx context.Context, tx pgx.Tx, x *ExchangeRate) error {
	x.Source = RateTyped
	if err := putRateTx(ctx, tx, x); err != nil {
		return err
	}
	return recordRate(ctx, tx, activity.CurrenciesRate, x, 0)
}

// DeleteRate removes the rate of a pair on a day. Errors: ErrCurrencyUnknown, ErrCurrencyNotFound, ErrRateUnknown.
func (s *Service) DeleteRate(ctx context.Context, r *RateRequest) error {
	r.Rate = "1"
	x, err := s.rateOf(ctx, r)
	if err != nil {
		return err
	}
	return s.pg.Retried(ctx, func(tx pgx.Tx) error {
		before, err := rateOnTx(ctx, tx, &x)
		switch {
		case err != nil:
			return err
		case before == 0:
			return ErrRateUnknown
		}
		if _, err := tx.Exec(ctx, `DELETE FROM exchange_rates WHERE base_id = $1 AND quote_id = $2 AND day = $3`, x.Base.ID, x.Quote.ID, x.Day); err != nil {
			return fmt.Errorf("delete rate: %w", err)
		}
		x.Rate = 0
		return recordRate(ctx, tx, activity.CurrenciesDeleteRate, &x, before)
	})
}

// rateOf reads a request.
func (s *Service) rateOf(ctx context.Context, r *RateRequest) (x ExchangeRate, err error) {
	if x.Base, err = s.CurrencyByID(ctx, r.BaseID); err != nil {
		return x, err
	}
	if x.Quote, err = s.AnyCurrency(ctx, r.Quote); err != nil {
		return x, err
	}
	x.Day = r.Day
	if x.Base.ID == x.Quote.ID {
		return x, ErrRateInvalid.WithDetails(apperr.Detail{Location: "currency", Message: "must be another currency"})
	}
	x.Rate, err = ParseRate(r.Rate)
	return x, err
}

// checkRateDay refuses days that are a mistake: beyond tomorrow, and ten years ago.
func (s *Service) checkRateDay(ctx context.Context, tx pgx.Tx, day businessday.Day) error {
	now, err := storage.Now(ctx, tx)
	if err != nil {
		return err
	}
	today := businessday.Of(now, s.options.Zone)
	if day.IsZero() || day.After(today.AddDays(rateDaysAhead)) || day.Before(today.AddMonths(-12*rateYears)) {
		return ErrRateInvalid.WithDetails(apperr.Detail{Location: "date", Message: "must be within the last ten years, and tomorrow at the latest"})
	}
	return nil
}

// rateOnTx returns the stored rate of the pair and day of x, or 0.
func rateOnTx(ctx context.Context, tx pgx.Tx, x *ExchangeRate) (r Rate, err error) {
	err = tx.QueryRow(ctx, `SELECT rate FROM exchange_rates WHERE base_id = $1 AND quote_id = $2 AND day = $3`, x.Base.ID, x.Quote.ID, x.Day).Scan(&r)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("read rate: %w", err)
	}
	return r, nil
}

// putRateTx writes a rate. A typed rate stays as it is if x was fetched.
func putRateTx(ctx context.Context, tx pgx.Tx, x *ExchangeRate) error {
	err := tx.QueryRow(ctx, `INSERT INTO exchange_rates AS e (base_id, quote_id, day, rate, source, user_id, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
		ON CONFLICT (base_id, quote_id, day) DO UPDATE SET rate = excluded.rate, source = excluded.source, user_id = excluded.user_id, updated_at = excluded.updated_at
			WHERE e.source = 'fetched' OR excluded.source = 'typed'
		RETURNING updated_at`,
		x.Base.ID, x.Quote.ID, x.Day, x.Rate, x.Source, models.Optional(x.UserID)).Scan(&x.UpdatedAt)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("write rate: %w", err)
	}
	x.UpdatedAt = x.UpdatedAt.UTC()
	return nil
}

func recordRate(ctx context.Context, tx pgx.Tx, action activity.Action, x *ExchangeRate, before Rate) error {
	shown := func(r Rate) any {
		if r == 0 {
			return nil
		}
		return r.String()
	}
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{
		Action: action, Target: x.Base.ID.String(), Changes: activity.Changed("rate", shown(before), shown(x.Rate)),
		Details: map[string]any{"pair": x.Base.Code + "/" + x.Quote.Code, "date": x.Day.String()},
	})
}

// RateFilter selects rates. A zero day does not bound it.
type RateFilter struct {
	CurrencyID    uuid.UUID // of either side
	Other         string    // code or id of the other currency; "" for all
	From, To      businessday.Day
	Limit, Offset int
}

// Rates lists the rates of a currency, newest first, and returns their number. Errors: ErrCurrencyUnknown,
// ErrCurrencyNotFound.
func (s *Service) Rates(ctx context.Context, f *RateFilter) ([]ExchangeRate, int64, error) {
	if _, err := s.CurrencyByID(ctx, f.CurrencyID); err != nil {
		return nil, 0, err
	}
	w := &storage.Where{}
	id := w.Arg(f.CurrencyID)
	w.And(`(base_id = ` + id + ` OR quote_id = ` + id + `)`)
	if f.Other != "" {
		other, err := s.AnyCurrency(ctx, f.Other)
		if err != nil {
			return nil, 0, err
		}
		id := w.Arg(other.ID)
		w.And(`(base_id = ` + id + ` OR quote_id = ` + id + `)`)
	}
	if !f.From.IsZero() {
		w.And(`day >= ` + w.Arg(f.From))
	}
	if !f.To.IsZero() {
		w.And(`day <= ` + w.Arg(f.To))
	}
	rows, total, err := storage.List(ctx, s.pg.Pool, &storage.Listing{
		Columns: rateColumns, From: `FROM exchange_rates`, Where: w, Order: `day DESC, base_id, quote_id`,
	}, scanRate, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list rates: %w", err)
	}
	return rows, total, s.nameCurrencies(ctx, rows)
}

// NewestRates returns the newest rate of each base up to a day, by the id of the base.
func (s *Service) NewestRates(ctx context.Context, day businessday.Day) (map[uuid.UUID]ExchangeRate, error) {
	rates, err := storage.Collect(ctx, s.pg.Pool, "newest rates", scanRate,
		`SELECT DISTINCT ON (base_id) `+rateColumns+` FROM exchange_rates WHERE day <= $1 ORDER BY base_id, day DESC, quote_id`, day)
	if err != nil {
		return nil, err
	}
	newest := make(map[uuid.UUID]ExchangeRate, len(rates))
	if err := s.nameCurrencies(ctx, rates); err != nil {
		return nil, err
	}
	for i := range rates {
		newest[rates[i].Base.ID] = rates[i]
	}
	return newest, nil
}

// rateColumns are read by scanRate.
const rateColumns = `base_id, quote_id, day, rate, source, user_id, updated_at`

// scanRate reads a rate; of its currencies it has the ids.
func scanRate(row pgx.CollectableRow) (x ExchangeRate, err error) {
	var user uuid.NullUUID
	err = row.Scan(&x.Base.ID, &x.Quote.ID, &x.Day, &x.Rate, &x.Source, &user, &x.UpdatedAt)
	x.UserID, x.UpdatedAt = user.UUID, x.UpdatedAt.UTC()
	return x, err
}

func (s *Service) nameCurrencies(ctx context.Context, rates []ExchangeRate) (err error) {
	for i := range rates {
		for _, c := range []*Currency{&rates[i].Base, &rates[i].Quote} {
			if *c, err = s.AnyCurrency(ctx, c.ID.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Equivalents returns, for each currency that has been quoted with a currency, the last rate of the pair on or before
// a day; the zero Day is today.
func (s *Service) Equivalents(
	ctx context.Context, in Currency, day businessday.Day,
) (map[uuid.UUID]ExchangeRate, error) {
	if day.IsZero() {
		now, err := storage.Now(ctx, s.pg.Pool)
		if err != nil {
			return nil, err
		}
		day = businessday.Of(now, s.options.Zone)
	}
	list, err := storage.Collect(ctx, s.pg.Pool, "rates of day", scanRate,
		`SELECT DISTINCT ON (least(base_id, quote_id), greatest(base_id, quote_id)) `+rateColumns+` FROM exchange_rates
		WHERE (base_id = $1 OR quote_id = $1) AND day <= $2 ORDER BY least(base_id, quote_id), greatest(base_id, quote_id), day DESC`, in.ID, day)
	if err == nil {
		err = s.nameCurrencies(ctx, list)
	}
	if err != nil {
		return nil, err
	}
	byOther := make(map[uuid.UUID]ExchangeRate, len(list))
	for _, x := range list {
		other := x.Base.ID
		if other == in.ID {
			other = x.Quote.ID
		}
		byOther[other] = x
	}
	return byOther, nil
}
