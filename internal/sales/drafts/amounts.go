package drafts

import (
	"regexp"
	"strings"

	"banca/internal/platform/money"
)

// longestAmount bounds the digits of an amount.
const longestAmount = 9

// Amounts with marks: 1.000 and 1.000,50 and 1,000.50; 20,50 and 20.5. A comma alone separates no thousands, since 123,456 lists two numbers.
var (
	thousands = regexp.MustCompile(`^[1-9]\d{0,2}(?:(?:\.\d{3})+(?:,\d{1,2})?|(?:,\d{3})+\.\d{1,2})$`)
	decimals  = regexp.MustCompile(`^(?:0|[1-9]\d*)[.,]\d{1,2}$`)
	whole     = regexp.MustCompile(`^[1-9]\d*$`)
	listed    = regexp.MustCompile(`^\d{1,3}(?:,\d{1,3})+$|^\d{1,3}(?:\.\d{1,3})+$`)
)

// amountOf reads a group of digits as an amount of a currency with so many decimals, in minor units; 0 if it is none.
func amountOf(text string, digits int) money.Amount {
	if len(text) > longestAmount+len(".,") {
		return 0
	}
	switch {
	case whole.MatchString(text):
	case thousands.MatchString(text):
		mark := strings.LastIndexAny(text, ".,")
		if len(text)-mark == len(".000") {
			mark = len(text)
		}
		plain := strings.NewReplacer(".", "", ",", "").Replace(text[:mark])
		text = plain + strings.Replace(text[mark:], ",", ".", 1)
	case decimals.MatchString(text):
		text = strings.Replace(text, ",", ".", 1)
	default:
		return 0
	}
	amount, err := money.Parse(text, digits)
	if err != nil {
		return 0
	}
	return amount
}

// numbersOf reads a group of digits as a list of numbers, such as 05,18,22; nil if it is none.
func numbersOf(text string) []string {
	if !listed.MatchString(text) {
		return nil
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '.' })
}
