package sales

import (
	"time"

	"banca/internal/platform/idempotency"
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
