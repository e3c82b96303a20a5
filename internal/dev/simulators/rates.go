package simulators

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"banca/internal/platform/clock"
)

// Modes of a source of exchange rates, see the package's documentation.
const (
	RatesSilent        = "silent"
	RatesGarbage       = "garbage"
	RatesNegative      = "negative"
	RatesZero          = "zero"
	RatesHuge          = "huge"
	RatesJump          = "jump"
	RatesWrongCurrency = "wrong_currency"
	RatesOld           = "old"
	RatesRedirect      = "redirect"
	RatesSlow          = "slow"
)

// RatesConfig configures NewRates.
type RatesConfig struct {
	Location *time.Location // of days
	Clock    clock.Clock
}

// Rates is a source of daily exchange rates.
type Rates struct {
	config RatesConfig
	faults *faults
	mux    *http.ServeMux
}

// NewRates returns a source that works.
func NewRates(config RatesConfig) *Rates {
	s := &Rates{config: config, mux: http.NewServeMux(), faults: newFaults(RatesModes()...)}
	s.mux.HandleFunc("GET /rates", s.rates)
	s.faults.routes(s.mux)
	return s
}

// RatesModes returns the modes in which a source misbehaves.
func RatesModes() []string {
	return []string{
		RatesSilent, RatesGarbage, RatesNegative, RatesZero, RatesHuge, RatesJump, RatesWrongCurrency, RatesOld,
		RatesRedirect, RatesSlow,
	}
}

// ServeHTTP implements http.Handler.
func (s *Rates) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// SetFault does what POST /_faults does and reports whether there is such a mode.
func (s *Rates) SetFault(fault Fault) bool { return s.faults.set(fault) }

// rateView is a rate as JSON.
type rateView struct {
	Base  string `json:"base"`
	Quote string `json:"quote"`
	Rate  string `json:"rate"`
}

func (s *Rates) rates(w http.ResponseWriter, r *http.Request) {
	fault := s.faults.take()
	day := s.config.Clock.Now().In(s.config.Location)
	if text := r.URL.Query().Get("date"); text != "" {
		var err error
		if day, err = time.Parse(time.DateOnly, text); err != nil {
			writeJSON(w, http.StatusBadRequest, map[string]string{"error": "date must be YYYY-MM-DD"})
			return
		}
	}
	quote := "VES"
	switch fault.Mode {
	case RatesSilent:
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"error": "unavailable"})
		return
	case RatesGarbage:
		_, _ = io.WriteString(w, "<html>maintenance</html>") // an error means that the client is gone
		return
	case RatesRedirect:
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		return
	case RatesSlow:
		_ = clock.Sleep(r.Context(), fault.delay())
	case RatesWrongCurrency:
		quote = "XTS"
	case RatesOld:
		day = day.AddDate(-1, 0, 0)
	}
	writeJSON(w, http.StatusOK, map[string]any{"date": day.Format(time.DateOnly), "rates": []rateView{
		{Base: "USD", Quote: quote, Rate: rateOf(day, 2_400_000, fault.Mode)},
		{Base: "EUR", Quote: quote, Rate: rateOf(day, 2_750_000, fault.Mode)},
	}})
}

// rateOf is a function of the day. It moves by less than one percent in a month, then begins again.
func rateOf(day time.Time, start int64, mode string) string {
	const dayHours, period = 24, 30
	days := day.Unix() / int64((dayHours * time.Hour).Seconds())
	n := start + days%period*70 + days*7%13*11 // in units of 10^-4
	switch mode {
	case RatesJump:
		n *= 10
	case RatesZero:
		n = 0
	case RatesHuge:
		return strings.Repeat("9", 40)
	case RatesNegative:
		return "-" + strconv.FormatInt(n/10_000, 10)
	}
	return fmt.Sprintf("%d.%04d", n/10_000, n%10_000)
}
