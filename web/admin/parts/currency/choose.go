// Package currency has the choice of a currency that pages about money share.
package currency

import (
	"cmp"
	"context"

	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// Param is the parameter of an address that names a currency by its code.
const Param = "currency"

// usual is the code of the currency of a page whose address names none.
const usual = "VES"

// lister lists the currencies.
type lister interface {
	Currencies(ctx context.Context) ([]ledger.Currency, error)
}

// Choose returns the active currency that the address names, or the first one, and all active ones as links that keep the other parameters.
// Without an active currency, links is nil.
func Choose(r *kit.Request, from lister) (chosen ledger.Currency, links []kit.Choice, err error) {
	all, err := from.Currencies(r.Context())
	if err != nil {
		return chosen, nil, err
	}
	active := ledger.Active(all)
	options := kit.OptionsOf(active, func(c ledger.Currency) (value, text string) { return c.Code, c.Unit() })
	code, links := r.Choose(Param, options)
	for i := range active {
		if active[i].Code == code {
			chosen = active[i]
		}
	}
	return chosen, links, nil
}

// ChooseOne is Choose for a page that needs a currency. Errors: ledger.ErrCurrencyNotFound.
func ChooseOne(r *kit.Request, from lister) (chosen ledger.Currency, links []kit.Choice, err error) {
	chosen, links, err = Choose(r, from)
	if err == nil && links == nil {
		err = ledger.ErrCurrencyNotFound
	}
	return chosen, links, err
}

// Asked returns the code of the currency that the address names, or of the usual one.
func Asked(r *kit.Request) string { return cmp.Or(r.Query(Param), usual) }

// Field is the choice of a currency by its symbol and name; one is always chosen.
func Field(r *kit.Request, from lister) (kit.FilterField, error) {
	list, err := from.Currencies(r.Context())
	field := kit.SelectField(Param, "label.currency", Options(list))
	field.First, field.Value = "", Asked(r)
	return field, err
}

// Options are currencies as choices, by their codes.
func Options(list []ledger.Currency) []kit.Option {
	return kit.OptionsOf(list, func(c ledger.Currency) (value, text string) { return c.Code, c.Unit() + " · " + c.Name })
}

// Text formats an amount with the symbol of its currency behind it.
func Text(v *kit.View, a money.Amount, c ledger.Currency) string {
	return v.Money(a, c.Digits) + " " + c.Unit()
}
