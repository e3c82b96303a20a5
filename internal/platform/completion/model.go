package completion

import (
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"banca/internal/platform/egress"
)

// MaxModels bounds a chain.
const MaxModels = 8

// Bounds of a model's settings.
const (
	maxURL = 500
	maxKey = 1_000
	maxID  = 200
)

// Model is a model at a provider.
type Model struct { //nolint:recvcheck // a value is printed without its key, too
	Name   string // ours, in figures and alerts
	URL    string // base, to which /chat/completions is appended
	ID     string // the provider's name of the model
	Key    string // "" for none
	Input  Price
	Output Price
	Whole  bool // the provider cannot stream
}

// String names the model without its key.
func (m Model) String() string { return m.Name }

// GoString implements fmt.GoStringer without the key.
func (m Model) GoString() string { return "completion.Model(" + m.Name + ")" }

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,39}$`)

// Validate checks a model. Errors do not repeat values: a key may be in the wrong place.
func (m *Model) Validate() error {
	if !nameForm.MatchString(m.Name) {
		return errors.New("completion: the name of a model has 1 to 40 characters of a-z, 0-9, dot, hyphen, underscore")
	}
	u, err := url.Parse(m.URL)
	if err != nil || len(m.URL) > maxURL || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !egress.Secure(u) {
		return fmt.Errorf("completion: the url of model %s must be an https address without query; http is for this machine and private numbers", m.Name)
	}
	if m.ID == "" || len(m.ID) > maxID || strings.ContainsFunc(m.ID, unprintable) {
		return fmt.Errorf("completion: model %s needs the provider's name of the model", m.Name)
	}
	if len(m.Key) > maxKey || strings.ContainsFunc(m.Key, unprintable) {
		return fmt.Errorf("completion: the key of model %s has characters that a header cannot hold", m.Name)
	}
	return nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// Price is what a million tokens cost, in millionths of a US dollar.
type Price int64

// ParsePrice reads US dollars for a million tokens, such as "0.30".
func ParsePrice(text string) (Price, error) {
	errPrice := errors.New("completion: a price is a decimal of US dollars for a million tokens, such as 0.30")
	if text == "" {
		return 0, nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	const digits, most = 6, 6
	if len(whole) == 0 || len(whole) > most || len(fraction) > digits {
		return 0, errPrice
	}
	n, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 63)
	if err != nil {
		return 0, errPrice
	}
	return Price(n), nil
}

// Usage counts the tokens of an attempt.
type Usage struct {
	Input     int64
	Output    int64
	Estimated bool // the provider did not count them
}

// Cost returns what a usage costs at a model in millionths of a US dollar, rounded up.
func (m *Model) Cost(u Usage) int64 { return m.Input.of(u.Input) + m.Output.of(u.Output) }

func (p Price) of(tokens int64) int64 {
	if p <= 0 || tokens <= 0 {
		return 0
	}
	const million = 1_000_000
	high, low := bits.Mul64(uint64(p), uint64(tokens))
	if high > 0 {
		return 0 // beyond every bound of an answer
	}
	cost := low / million
	if low%million > 0 {
		cost++
	}
	return int64(cost)
}
