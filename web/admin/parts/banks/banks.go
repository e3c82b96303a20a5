// Package banks has the choice of a bank by its name that forms and filters share.
package banks

import (
	"context"
	"slices"
	"strings"

	"banca/internal/bank"
	"banca/models"
	"banca/web/kit"
)

// most bounds the banks of a choice; codes have four digits.
const most = 10_000

// lister lists the directory of banks.
type lister interface {
	Banks(ctx context.Context, status string, limit, offset int) ([]bank.Bank, int64, error)
}

// Options returns the active banks by name, and the bank with the code held even if it is retired or unknown. held may be "".
func Options(ctx context.Context, from lister, held string) ([]kit.Option, error) {
	all, _, err := from.Banks(ctx, "", most, 0)
	if err != nil {
		return nil, err
	}
	var options []kit.Option
	for _, b := range all {
		if b.Status == models.BankActive || b.Code == held {
			options = append(options, kit.Option{Value: b.Code, Text: b.Name + " (" + b.Code + ")"})
		}
	}
	slices.SortStableFunc(options, func(a, b kit.Option) int { return strings.Compare(a.Text, b.Text) })
	if held != "" && !slices.ContainsFunc(options, func(o kit.Option) bool { return o.Value == held }) {
		options = append(options, kit.Option{Value: held, Text: held})
	}
	return options, nil
}

// Input returns the field of a form that chooses a bank. An empty choice means no bank.
func Input(r *kit.Request, from lister, held string) (kit.Input, error) {
	options, err := Options(r.Context(), from, held)
	return kit.ChoiceInput("bank", "label.bank", append([]kit.Option{{Text: r.T("word.unset")}}, options...)).WithRule("field.bank", false), err
}
