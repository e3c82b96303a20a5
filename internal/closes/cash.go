package closes

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
)

//go:embed denominations.csv
var denominationRows string

// denominationsOf holds the texts of the denominations by the code of their currency, the largest first.
var denominationsOf = sync.OnceValue(func() map[string][]string { //nolint:gochecknoglobals // a lazy constant
	all := map[string][]string{}
	for row := range strings.Lines(denominationRows) {
		if code, text, found := strings.Cut(strings.TrimSpace(row), ","); found {
			all[code] = append(all[code], text)
		}
	}
	return all
})

// Denominations returns the notes and coins of a currency, the largest first; nil for a currency whose cash is
// counted as one amount.
func Denominations(c ledger.Currency) []money.Amount {
	var list []money.Amount
	for _, text := range denominationsOf()[c.Code] {
		if amount, err := money.Parse(text, c.Digits); err == nil { // a currency with fewer digits lacks the smallest
			list = append(list, amount)
		}
	}
	return list
}

// Count is how many notes or coins of a denomination were counted.
type Count struct {
	Denomination money.Amount `json:"denomination"`
	Count        int64        `json:"count"`
}

// TypedCount is a count as a client sends it.
type TypedCount struct {
	Denomination string
	Count        int64
}

// Cash is the counted cash as a client sends it: by denomination, and the rest.
type Cash struct {
	Counts []TypedCount
	Other  string // an amount; "" for none
	Means  []TypedMeans
}

// meaning returns the fields of the meaning of a request with the cash after them.
func (c *Cash) meaning(fields ...string) []string {
	fields = append(fields, idempotency.Decimal(c.Other))
	for _, count := range c.Counts {
		fields = append(fields, idempotency.Decimal(count.Denomination), strconv.FormatInt(count.Count, 10))
	}
	return append(fields, meaningOf(c.Means)...)
}

// Bounds of counted cash.
const (
	maxCount = 1_000_000
	maxNote  = 500 // characters
)

// counted is validated cash.
type counted struct {
	counts []Count
	other  money.Amount
	total  money.Amount
	means  []Means
}

// count validates cash in a currency and sums it. Errors: ErrCash with all invalid parts.
func count(cash *Cash, currency ledger.Currency) (*counted, error) {
	known := map[money.Amount]bool{}
	for _, d := range Denominations(currency) {
		known[d] = true
	}
	var wrong []apperr.Detail
	done := &counted{counts: []Count{}}
	for i, typed := range cash.Counts {
		at := "cash.counts[" + strconv.Itoa(i) + "]"
		denomination, err := money.Parse(typed.Denomination, currency.Digits)
		switch {
		case err != nil || !known[denomination]:
			wrong = append(wrong, apperr.Line("UNKNOWN_DENOMINATION", "the currency has no such denomination, or it is listed twice").At(at+".denomination"))
			continue
		case typed.Count < 0 || typed.Count > maxCount:
			wrong = append(wrong, apperr.Line("INVALID_COUNT", fmt.Sprintf("expected a number from 0 to %d", maxCount), "max", strconv.Itoa(maxCount)).At(at+".count"))
			continue
		}
		delete(known, denomination)
		if typed.Count > 0 {
			done.counts = append(done.counts, Count{Denomination: denomination, Count: typed.Count})
			done.total += denomination * money.Amount(typed.Count)
		}
	}
	if cash.Other != "" {
		other, err := money.ParseOrZero(cash.Other, currency.Digits)
		if err != nil {
			wrong = append(wrong, invalidAmount(currency).At("cash.other"))
		} else {
			done.other = other
			done.total += other
		}
	}
	if wrong != nil {
		return nil, ErrCash.WithDetails(wrong...)
	}
	return done, nil
}

// Other is the part of the counted cash that was not counted by denomination.
func (c *Close) Other() money.Amount {
	other := c.CashTotal
	for _, count := range c.Counts {
		other -= count.Denomination * money.Amount(count.Count)
	}
	return other
}

// openingCash parses the cash in the drawer at the beginning. Errors: ErrCash.
func openingCash(text string, currency ledger.Currency) (money.Amount, error) {
	amount, err := money.ParseOrZero(text, currency.Digits)
	if err != nil {
		return 0, ErrCash.WithDetails(invalidAmount(currency).At("opening_cash"))
	}
	return amount, nil
}

func invalidAmount(c ledger.Currency) *apperr.Detail {
	return apperr.Line("INVALID_AMOUNT", "expected an amount of the currency", "digits", strconv.Itoa(c.Digits))
}
