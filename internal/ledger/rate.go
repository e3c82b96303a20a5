package ledger

import (
	"math/big"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// Errors of exchange rates.
var (
	ErrRateInvalid = apperr.New(apperr.Invalid, "RATE_INVALID", "fields of the exchange rate are missing or invalid")
	ErrRateUnknown = apperr.New(apperr.NotFound, "RATE_UNKNOWN", "no such exchange rate")
	ErrRateFixed   = apperr.New(apperr.Conflict, "RATE_OPPOSITE", "the pair is quoted in the other direction on this day; change that rate")
)

// Rate is an exchange rate in units of 10^-8.
type Rate int64

// Bounds of a rate.
const (
	rateDigits   = 8
	rateUnit     = 100_000_000
	maxRateWhole = 9 // digits before the point
)

// ParseRate reads a positive decimal with at most 9 digits before the point and 8 after it. Errors: ErrRateInvalid.
func ParseRate(text string) (Rate, error) {
	refused := ErrRateInvalid.WithDetails(apperr.Detail{Location: "rate", Message: "must be a positive decimal with at most 9 digits and 8 decimals"})
	whole, fraction, dotted := strings.Cut(text, ".")
	if whole == "" || len(whole) > maxRateWhole || dotted && fraction == "" || len(fraction) > rateDigits {
		return 0, refused
	}
	var n int64
	for _, c := range whole + fraction + strings.Repeat("0", rateDigits-len(fraction)) {
		if c < '0' || c > '9' {
			return 0, refused
		}
		n = n*10 + int64(c-'0')
	}
	if n == 0 {
		return 0, refused
	}
	return Rate(n), nil
}

// String returns the rate as a decimal without zeros at its end, and with two decimals at least.
func (r Rate) String() string {
	text := money.Amount(r).Format(rateDigits)
	kept := len(text) - (rateDigits - 2)
	return text[:kept] + strings.TrimRight(text[kept:], "0")
}

// Sources of a rate.
const (
	RateTyped   = "typed"
	RateFetched = "fetched"
)

// ExchangeRate is the rate of a pair of currencies on a business day: one unit of Base is Rate units of Quote.
type ExchangeRate struct {
	Base, Quote Currency
	Day         businessday.Day
	Rate        Rate
	Source      string
	UserID      uuid.UUID // Nil if it was fetched
	UpdatedAt   time.Time
}

// Equivalent is an amount in another currency, with the rate that it follows from.
type Equivalent struct {
	Amount money.Amount
	Rate   ExchangeRate
}

// Convert returns the equivalent of an amount of one currency of the pair in the other one, rounded to the nearest minor unit, halves
// away from zero. It is for display only: nothing is booked by it. ok is false if the equivalent is not a money.Amount.
func (x *ExchangeRate) Convert(amount money.Amount, from uuid.UUID) (equivalent money.Amount, ok bool) {
	numerator, denominator := big.NewInt(int64(x.Rate)), big.NewInt(rateUnit)
	fromDigits, toDigits := x.Base.Digits, x.Quote.Digits
	if from == x.Quote.ID {
		numerator, denominator = denominator, numerator
		fromDigits, toDigits = toDigits, fromDigits
	}
	numerator = new(big.Int).Mul(numerator, power(toDigits))
	denominator = new(big.Int).Mul(denominator, power(fromDigits))
	negative := amount < 0
	value := new(big.Int).Mul(new(big.Int).Abs(big.NewInt(int64(amount))), numerator)
	value.Mul(value, big.NewInt(2)).Add(value, denominator).Quo(value, denominator.Mul(denominator, big.NewInt(2))) // (2vn + d) / 2d
	if negative {
		value.Neg(value)
	}
	return money.Amount(value.Int64()), value.IsInt64()
}

func power(digits int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
}
