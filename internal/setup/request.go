package setup

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
)

// ErrInvalid names the fields of a request that are missing or invalid.
var ErrInvalid = apperr.New(apperr.Invalid, "INVALID_SETUP", "fields of the setup are missing or invalid")

// Request is what a person decides.
type Request struct {
	Operator   string // name of the operator's entity
	Code       string // of the operator's entity
	Zone       string // name of the time zone of business days; "" for the configuration's
	Currencies []Rate // besides the bank's; nil for all without rates
	Games      []string
	Percent    string // commission of imported agencies that name none; "" for none
	Stake      string // limit on each selection of a draw, at the operator, in the bank's currency; "" for none
	Liability  string // the same of the prizes that it would pay
	Bank       *bank.Access
	Admin      auth.NewUser
}

// Rate is a currency with its first exchange rate: units of it for one of the base currency, "" for none. The rate of
// the base currency is the rate of the bank's currency.
type Rate struct{ Code, Rate string }

// base is the code of the currency that the others are quoted in.
const base = "USD"

// percentDigits are the decimals of a percentage.
const percentDigits = 2

// checked are the values of a valid request.
type checked struct {
	zone   *time.Location // nil for the configuration's
	bank   seed.Currency  // that the bank pays in
	codes  []string       // of the currencies; nil for all
	rates  []ledger.ExchangeRate
	limits map[string]money.Amount // by metric
	admin  *auth.PreparedUser
}

// check reads the values. Errors: ErrInvalid with all refused fields.
func (r *Request) check() (*checked, error) {
	c := &checked{bank: seed.Currencies()[0], limits: map[string]money.Amount{}}
	var wrong []apperr.Detail
	refuse := func(at string, message apperr.Message) {
		wrong = append(wrong, apperr.Detail{Location: at, Message: message})
	}
	if r.Zone != "" {
		var err error
		if c.zone, err = time.LoadLocation(r.Zone); err != nil || r.Zone == "Local" || r.Zone == "localtime" {
			refuse("zone", "expected the name of a time zone, such as America/Caracas")
		}
	}
	for metric, typed := range r.limitMetrics() {
		if typed == "" {
			continue
		}
		amount, err := money.ParseOrZero(typed, percentDigits)
		if err != nil || amount == 0 {
			refuse(metric, "expected a positive decimal")
		}
		c.limits[metric] = amount
	}
	if r.Percent != "" {
		rate, err := money.ParseOrZero(r.Percent, percentDigits)
		if err != nil || rate > money.Amount(money.FullRate) {
			refuse("percent", `expected a decimal from "0" to "100" with at most two digits after the point`)
		}
	}
	if b := r.Bank; b != nil && b.Token != "" && uuid.Validate(b.Token) != nil {
		refuse("token", "expected a UUID")
	}
	r.checkGames(refuse)
	r.checkCurrencies(c, refuse)
	if wrong != nil {
		return nil, ErrInvalid.WithDetails(wrong...)
	}
	return c, nil
}

func (r *Request) checkGames(refuse func(at string, message apperr.Message)) {
	known, err := seed.GameCodes()
	if err != nil || slices.ContainsFunc(r.Games, func(code string) bool { return !slices.Contains(known, code) }) {
		refuse("games", "no such game")
	}
	if r.Games == nil {
		r.Games = []string{}
	}
}

// checkCurrencies reads the chosen currencies and their rates.
func (r *Request) checkCurrencies(c *checked, refuse func(at string, message apperr.Message)) {
	if r.Currencies == nil {
		return
	}
	known := map[string]seed.Currency{}
	for _, k := range seed.Currencies() {
		known[k.Code] = k
	}
	c.codes = []string{c.bank.Code}
	for _, chosen := range r.Currencies {
		k, ok := known[chosen.Code]
		if !ok || slices.Contains(c.codes, chosen.Code) {
			refuse("currencies", "no such currency")
			continue
		}
		c.codes = append(c.codes, chosen.Code)
		if chosen.Rate == "" {
			continue
		}
		rate, err := ledger.ParseRate(chosen.Rate)
		if err != nil {
			refuse("rate."+chosen.Code, "must be a positive decimal with at most 9 digits and 8 decimals")
			continue
		}
		quoted := k
		if chosen.Code == base {
			quoted = c.bank
		}
		c.rates = append(c.rates, ledger.ExchangeRate{Base: currencyOf(known[base]), Quote: currencyOf(quoted), Rate: rate})
	}
	for _, x := range c.rates {
		if !slices.Contains(c.codes, base) {
			refuse("rate."+x.Quote.Code, "is quoted in US dollars: choose them, too")
		}
	}
}

func currencyOf(k seed.Currency) ledger.Currency {
	return ledger.Currency{ID: k.ID, Code: k.Code, Name: k.Name, Symbol: k.Symbol, Digits: percentDigits}
}
