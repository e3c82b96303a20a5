package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/models"
)

// Currency is what amounts are counted in; Digits is how many minor digits it has.
type Currency struct {
	ID     uuid.UUID
	Code   string
	Name   string
	Symbol string
	Digits int
	Status string
}

const codeLength = 3

// Currency finds an active currency by its id or its code. Errors: ErrCurrencyNotFound.
func (s *Service) Currency(ctx context.Context, idOrCode string) (Currency, error) {
	c, err := s.AnyCurrency(ctx, idOrCode)
	if err == nil && c.Status != models.StatusActive {
		return Currency{}, ErrCurrencyNotFound
	}
	return c, err
}

// AnyCurrency finds a currency by its id or its code, also an inactive one, in which earlier bookings may be. Errors: ErrCurrencyNotFound.
func (s *Service) AnyCurrency(ctx context.Context, idOrCode string) (Currency, error) {
	c, err := s.currencies.Get(ctx, idOrCode, otter.LoaderFunc[string, Currency](s.loadCurrency))
	if errors.Is(err, otter.ErrNotFound) {
		return Currency{}, ErrCurrencyNotFound
	}
	return c, err
}

// CurrencyByID finds a currency by its id, also an inactive one. Errors: ErrCurrencyUnknown.
func (s *Service) CurrencyByID(ctx context.Context, id uuid.UUID) (Currency, error) {
	return s.FindCurrency(ctx, id.String())
}

// FindCurrency is AnyCurrency for a request about the currency itself. Errors: ErrCurrencyUnknown.
func (s *Service) FindCurrency(ctx context.Context, idOrCode string) (Currency, error) {
	c, err := s.AnyCurrency(ctx, idOrCode)
	if errors.Is(err, ErrCurrencyNotFound) {
		return Currency{}, ErrCurrencyUnknown
	}
	return c, err
}

// Currencies lists all currencies by code.
func (s *Service) Currencies(ctx context.Context) ([]Currency, error) {
	var rows []models.Currency
	if err := s.pg.Gorm.WithContext(ctx).Order("code").Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("list currencies: %w", err)
	}
	list := make([]Currency, len(rows))
	for i := range rows {
		list[i] = currencyOf(&rows[i])
	}
	return list, nil
}

// isCode reports whether a text is the code of a currency.
func isCode(text string) bool {
	return len(text) == codeLength && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func (s *Service) loadCurrency(ctx context.Context, idOrCode string) (Currency, error) {
	q := s.pg.Gorm.WithContext(ctx)
	switch id, err := uuid.Parse(idOrCode); {
	case err == nil:
		q = q.Where("id = ?", id)
	case isCode(idOrCode):
		q = q.Where("code = ?", idOrCode)
	default: // nothing to ask Postgres, which would call some of it an error
		return Currency{}, otter.ErrNotFound
	}
	var rows []models.Currency
	if err := q.Limit(1).Find(&rows).Error; err != nil {
		return Currency{}, fmt.Errorf("load currency: %w", err)
	}
	if len(rows) == 0 {
		return Currency{}, otter.ErrNotFound
	}
	return currencyOf(&rows[0]), nil
}

func currencyOf(row *models.Currency) Currency {
	return Currency{ID: row.ID, Code: row.Code, Name: row.Name, Symbol: row.Symbol, Digits: row.Digits, Status: row.Status}
}
