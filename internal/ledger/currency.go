package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/platform/money"
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

// Unit is what amounts are shown with: the symbol, or the code of a currency without one.
func (c *Currency) Unit() string { return cmp.Or(c.Symbol, c.Code) }

// Local writes an amount as a person reads it, with its unit: "Bs 1.234,56".
func (c *Currency) Local(a money.Amount) string { return c.Unit() + " " + a.FormatLocal(c.Digits) }

// firstShown is the currency that pages show unless another one is chosen.
const firstShown = "VES"

// Order orders currencies as pages show them: the first one shown, then the others by their codes.
func (c *Currency) Order(other *Currency) int {
	if (c.Code == firstShown) != (other.Code == firstShown) {
		if c.Code == firstShown {
			return -1
		}
		return 1
	}
	return cmp.Compare(c.Code, other.Code)
}

// Active returns the currencies that are active, in the order in which pages show them.
func Active(all []Currency) []Currency {
	active := slices.DeleteFunc(slices.Clone(all), func(c Currency) bool { return c.Status != models.StatusActive })
	slices.SortFunc(active, func(a, b Currency) int { return a.Order(&b) })
	return active
}

// Currency finds an active currency by its id or its code. Errors: ErrCurrencyNotFound.
func (s *Service) Currency(ctx context.Context, idOrCode string) (Currency, error) {
	c, err := s.AnyCurrency(ctx, idOrCode)
	if err == nil && c.Status != models.StatusActive {
		return Currency{}, ErrCurrencyNotFound
	}
	return c, err
}

// AnyCurrency finds a currency by its id or its code, also an inactive one, in which earlier bookings may be. Errors:
// ErrCurrencyNotFound.
func (s *Service) AnyCurrency(ctx context.Context, idOrCode string) (Currency, error) {
	c, err := s.currencies.Get(ctx, idOrCode, otter.LoaderFunc[string, Currency](s.loadCurrency))
	if errors.Is(err, otter.ErrNotFound) {
		return Currency{}, ErrCurrencyNotFound
	}
	return c, err
}

// FillCurrencies completes the currencies of rows, which hold only the id.
func FillCurrencies[T any](ctx context.Context, s *Service, rows []T, currency func(*T) *Currency) error {
	for i := range rows {
		c := currency(&rows[i])
		found, err := s.AnyCurrency(ctx, c.ID.String())
		if err != nil {
			return fmt.Errorf("currency of a row: %w", err)
		}
		*c = found
	}
	return nil
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
	return Currency{
		ID: row.ID, Code: row.Code, Name: row.Name, Symbol: row.Symbol, Digits: row.Digits, Status: row.Status,
	}
}
