package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/storage"
)

// Errors of the currencies.
var (
	ErrCurrencyUnknown = apperr.New(apperr.NotFound, "CURRENCY_UNKNOWN", "no such currency")
	ErrCurrencyInvalid = apperr.New(apperr.Invalid, "CURRENCY_INVALID", "fields of the currency are missing or invalid")
	ErrCurrencyExists  = apperr.New(apperr.Conflict, "CURRENCY_EXISTS", "a currency with this code exists")
	ErrCurrencyUsed    = apperr.New(apperr.Conflict, "CURRENCY_USED", "the currency is used: its code and digits stay, and it can be deactivated but not deleted")
)

// CurrencyFields are what a person sets of a currency.
type CurrencyFields struct {
	Code   string
	Name   string
	Symbol string
	Digits int
	Status string
}

// Bounds of a currency.
const (
	maxCurrencyName   = 60
	maxCurrencySymbol = 8
	// MaxDigits is the most decimals of a currency.
	MaxDigits = 4
)

const currencyCodeKey = "currencies_code_key"

// normalise trims the texts. Errors: ErrCurrencyInvalid, which names the fields.
func (f *CurrencyFields) normalise() error {
	f.Code, f.Name, f.Symbol = strings.TrimSpace(f.Code), strings.TrimSpace(f.Name), strings.TrimSpace(f.Symbol)
	var details []apperr.Detail
	if !isCode(f.Code) {
		details = append(details, apperr.Detail{Location: "code", Message: "must be three capital letters"})
	}
	details = checkText(details, "name", f.Name, 1, maxCurrencyName)
	details = checkText(details, "symbol", f.Symbol, 0, maxCurrencySymbol)
	if f.Digits < 0 || f.Digits > MaxDigits {
		details = append(details, apperr.Detail{Location: "digits", Message: "must be between 0 and 4"})
	}
	if f.Status != models.StatusActive && f.Status != models.StatusInactive {
		details = append(details, apperr.Detail{Location: "status", Message: "must be active or inactive"})
	}
	if len(details) > 0 {
		return ErrCurrencyInvalid.WithDetails(details...)
	}
	return nil
}

func (f *CurrencyFields) of(id uuid.UUID) Currency {
	return Currency{ID: id, Code: f.Code, Name: f.Name, Symbol: f.Symbol, Digits: f.Digits, Status: f.Status}
}

// CreateCurrency adds a currency. Errors: ErrCurrencyInvalid, ErrCurrencyExists.
func (s *Service) CreateCurrency(ctx context.Context, f CurrencyFields) (Currency, error) {
	if err := f.normalise(); err != nil {
		return Currency{}, err
	}
	c := f.of(uuid.Must(uuid.NewV7()))
	err := s.changeCurrencies(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO currencies (id, code, name, symbol, digits, status) VALUES ($1, $2, $3, $4, $5, $6)`,
			c.ID, c.Code, c.Name, c.Symbol, c.Digits, c.Status)
		if err != nil {
			return err
		}
		if err := distinctSymbolTx(ctx, tx, &c); err != nil {
			return err
		}
		return recordCurrency(ctx, tx, activity.CurrenciesCreate, nil, &c)
	})
	return c, s.written(err, &c)
}

// UpdateCurrency replaces the fields of a currency. Other processes use the earlier ones for up to 30 seconds. Errors:
// ErrCurrencyInvalid, ErrCurrencyUnknown, ErrCurrencyExists, ErrCurrencyUsed if the code or the digits of a used currency would change.
func (s *Service) UpdateCurrency(ctx context.Context, id uuid.UUID, f CurrencyFields) (Currency, error) {
	if err := f.normalise(); err != nil {
		return Currency{}, err
	}
	c := f.of(id)
	var before Currency
	err := s.changeCurrencies(ctx, func(tx pgx.Tx) (err error) {
		if before, err = lockCurrencyTx(ctx, tx, id); err != nil || before == c {
			return err
		}
		if before.Code != c.Code || before.Digits != c.Digits {
			if err := unusedTx(ctx, tx, id); err != nil {
				return err
			}
		}
		if before.Symbol != c.Symbol {
			if err := distinctSymbolTx(ctx, tx, &c); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `UPDATE currencies SET code = $2, name = $3, symbol = $4, digits = $5, status = $6, updated_at = now() WHERE id = $1`,
			c.ID, c.Code, c.Name, c.Symbol, c.Digits, c.Status)
		if err != nil {
			return err
		}
		return recordCurrency(ctx, tx, activity.CurrenciesUpdate, &before, &c)
	})
	return c, s.written(err, &before, &c)
}

// DeleteCurrency deletes a currency that nothing uses, with its exchange rates. Errors: ErrCurrencyUnknown, ErrCurrencyUsed.
func (s *Service) DeleteCurrency(ctx context.Context, id uuid.UUID) error {
	var before Currency
	err := s.changeCurrencies(ctx, func(tx pgx.Tx) (err error) {
		if before, err = lockCurrencyTx(ctx, tx, id); err != nil {
			return err
		}
		if err := unusedTx(ctx, tx, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM exchange_rates WHERE base_id = $1 OR quote_id = $1`, id); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM currencies WHERE id = $1`, id); err != nil {
			return err
		}
		return recordCurrency(ctx, tx, activity.CurrenciesDelete, &before, nil)
	})
	return s.written(err, &before)
}

// changeCurrencies runs a change of the currencies; such changes are serialised.
func (s *Service) changeCurrencies(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return s.pg.Retried(ctx, func(tx pgx.Tx) error {
		if err := storage.LockCatalogue.Take(ctx, tx); err != nil {
			return err
		}
		return fn(tx)
	})
}

// lockCurrencyTx returns a currency. Nothing starts to use it before the end of the transaction: a row that refers to it waits.
func lockCurrencyTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) (c Currency, err error) {
	err = tx.QueryRow(ctx, `SELECT id, code, name, symbol, digits, status FROM currencies WHERE id = $1 FOR UPDATE`, id).
		Scan(&c.ID, &c.Code, &c.Name, &c.Symbol, &c.Digits, &c.Status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, ErrCurrencyUnknown
	case err != nil:
		return c, fmt.Errorf("read currency: %w", err)
	}
	return c, nil
}

// unusedTx returns ErrCurrencyUsed if amounts are in the currency. Tickets and payments of the bank have a wallet; cash that
// paid tickets of another currency, or was counted in a drawer, has none.
func unusedTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	var used bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM wallets WHERE currency_id = $1) OR EXISTS (SELECT 1 FROM risk_limits WHERE currency_id = $1)
		OR EXISTS (SELECT 1 FROM payment_requests WHERE currency_id = $1)
		OR EXISTS (SELECT 1 FROM ticket_payments WHERE currency_id = $1)
		OR EXISTS (SELECT 1 FROM (SELECT means FROM daily_closes UNION ALL SELECT means FROM cash_handovers) counted
			WHERE means @> jsonb_build_array(jsonb_build_object('currency_id', $1)))`, id).Scan(&used)
	if err != nil {
		return fmt.Errorf("use of currency: %w", err)
	}
	if used {
		return ErrCurrencyUsed
	}
	return nil
}

// distinctSymbolTx returns ErrCurrencyInvalid if another currency has the symbol: receipts, messages and pages tell currencies apart by it.
func distinctSymbolTx(ctx context.Context, tx pgx.Tx, c *Currency) error {
	var taken bool
	err := tx.QueryRow(ctx, `SELECT $2 <> '' AND EXISTS (SELECT 1 FROM currencies WHERE symbol = $2 AND id <> $1)`, c.ID, c.Symbol).Scan(&taken)
	if err != nil {
		return fmt.Errorf("symbol of currency: %w", err)
	}
	if taken {
		return ErrCurrencyInvalid.WithDetails(apperr.Detail{Location: "symbol", Message: "another currency has this symbol"})
	}
	return nil
}

// written returns the error of a change, and lets this process forget the currencies that it changed.
func (s *Service) written(err error, changed ...*Currency) error {
	for _, c := range changed {
		s.currencies.Invalidate(c.ID.String())
		s.currencies.Invalidate(c.Code)
	}
	switch {
	case storage.Violates(err, currencyCodeKey):
		return ErrCurrencyExists
	case storage.ViolatesForeignKey(err):
		return ErrCurrencyUsed
	case err != nil:
		return fmt.Errorf("change currency: %w", err)
	}
	return nil
}

func recordCurrency(ctx context.Context, tx pgx.Tx, action activity.Action, before, after *Currency) error {
	target := before
	if after != nil {
		target = after
	}
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{
		Action: action, Target: target.ID.String(), Changes: activity.Between(currencyFields(before), currencyFields(after)),
		Details: map[string]any{"code": target.Code},
	})
}

func currencyFields(c *Currency) map[string]any {
	if c == nil {
		return nil
	}
	return map[string]any{"code": c.Code, "name": c.Name, "symbol": c.Symbol, "digits": c.Digits, "status": c.Status}
}
