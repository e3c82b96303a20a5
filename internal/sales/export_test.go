package sales

import (
	"time"

	"banca/internal/ledger"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
)

// FillQueues makes every sale go to a queue, and every queue full.
func (s *Service) FillQueues() {
	limits := groupLimits()
	limits.GroupFrom, limits.QueueSize = 0, 0
	s.group = s.newGroup(limits)
}

// SerialAlphabet is what serial codes are written in.
const SerialAlphabet = serialAlphabet

// NewSerial returns a fresh serial code.
func NewSerial() string { return SerialCode(time.Now(), randomBelow) }

// NewSerialAt returns a fresh serial code of a ticket sold at an instant.
func NewSerialAt(at time.Time) string { return SerialCode(at, randomBelow) }

// NewValidationCode returns a fresh validation code.
func NewValidationCode() string { return newValidationCode() }

// MeaningOf returns the meaning of a request in a currency.
func MeaningOf(req *SellRequest, currency string) idempotency.Meaning {
	return requestOf(req).meaning(currency)
}

// Settle compares payments in the two currencies of a rate with a total in its quote currency.
func Settle(total money.Amount, rate *ledger.ExchangeRate, paid ...Payment) ([]Payment, error) {
	q := &quote{currency: rate.Quote, payments: paid}
	for i := range paid {
		p := &paid[i]
		p.Means, p.Value = "cash", p.Amount
		if p.Currency.ID == rate.Base.ID {
			p.Value, _ = rate.Convert(p.Amount, rate.Base.ID)
			p.unit, _ = rate.Convert(1, rate.Base.ID)
			p.Rate = rate.Rate
		}
	}
	return q.payments, q.settle(total, false)
}

// FittingSQL is the statement that finds credits.
const FittingSQL = fittingSQL
