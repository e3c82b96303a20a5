package exchange

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/platform/businessday"
)

// maxRates bounds the rates of an answer.
const maxRates = 500

// Answer is what a source has for a day.
type Answer struct {
	Day   businessday.Day
	Rates map[Pair]string // decimals as the source writes them, of the pairs that were asked for; missing if it has none
}

// document is the answer as JSON.
type document struct {
	Date  string         `json:"date"`
	Rates []documentRate `json:"rates"`
}

type documentRate struct {
	Base  string         `json:"base"`
	Quote string         `json:"quote"`
	Rate  jsontext.Value `json:"rate"`
}

// read reads a document. Its members have one reading: encoding/json's second version refuses repeated names and invalid UTF-8.
// Errors: ErrMalformed.
func (c *Client) read(body []byte) (*Answer, error) {
	var d document
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, malformed("it is not JSON of the expected form")
	}
	day, err := businessday.Parse(d.Date)
	if err != nil {
		return nil, malformed("date is not a day")
	}
	if len(d.Rates) > maxRates {
		return nil, malformed("there are too many rates")
	}
	wanted := make(map[Pair]bool, len(c.options.Pairs))
	for _, p := range c.options.Pairs {
		wanted[p] = true
	}
	a := &Answer{Day: day, Rates: map[Pair]string{}}
	for i := range d.Rates {
		p := Pair{Base: d.Rates[i].Base, Quote: d.Rates[i].Quote}
		if !wanted[p] {
			continue
		}
		if _, repeated := a.Rates[p]; repeated {
			return nil, malformed("there are two rates of " + p.String())
		}
		a.Rates[p] = decimal(d.Rates[i].Rate)
	}
	return a, nil
}

// decimal returns the digits of a text or a number; "" for anything else, which is no rate.
func decimal(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		var text string
		if json.Unmarshal(v, &text) != nil {
			return ""
		}
		return text
	case '0':
		return strings.TrimSpace(string(v))
	default:
		return ""
	}
}
