package bank

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/businessday"
)

// keyNamespace is the UUID namespace of payments; it is arbitrary and permanent.
const keyNamespace = "0b9d6a56-7c0e-4d4f-8f0a-5a6d2c1e9f37"

// pending is a notification to commit, with its decision and its outcome.
type pending struct {
	n         *notification
	e         *event
	directory *directory
	date      businessday.Day
	key       uuid.UUID // the payment's own key
	checks    int       // number of checks of the event before the decision

	decision
	attempts int
	answer   bool
	err      error
}

// answerNotification is phase B. It returns true only after the commit.
func (s *Service) answerNotification(ctx context.Context, fields object, e *event) (bool, error) {
	n, err := readNotification(fields, s.Options.Zone)
	if err != nil {
		return false, e.badField(err)
	}
	e.pass(CheckFields)
	e.fields, e.reference, e.bank, e.phone, e.amount = n.eventFields(), n.reference, n.bank, n.senderPhone, n.amount
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return false, err
	}
	p := &pending{n: n, e: e, directory: d, checks: len(e.checks)}
	p.date = businessday.Of(e.at, s.Options.Zone)
	if !n.instant.IsZero() {
		p.date = businessday.Of(n.instant, s.Options.Zone)
	}
	p.key = paymentKey(n.bank, n.reference, p.date)
	s.commit(ctx, p)
	e.answer = p.answer
	return p.answer, p.err
}

// badField records the invalid field of a call and returns the refusal.
func (e *event) badField(err error) error {
	detail := ""
	if d := apperr.From(err).Details; len(d) > 0 {
		detail = d[0].Location
	}
	e.failBusiness(CheckFields, detail)
	return &refusal{http.StatusBadRequest, CheckFields}
}

// paymentKey returns the id of a payment, derived from the contract's unique key.
func paymentKey(bank, reference string, date businessday.Day) uuid.UUID {
	return uuid.NewSHA1(uuid.MustParse(keyNamespace), []byte(bank+"/"+reference+"/"+date.String()))
}

// conflictKey returns the id of a payment whose key is already used with another amount.
func conflictKey(key uuid.UUID, amount string) uuid.UUID { return uuid.NewSHA1(key, []byte(amount)) }

// lateRepeat is how long after its first arrival a notification without FechaHora is recognised after midnight, when
// its key has changed with the date of receipt.
const lateRepeat = 2 * time.Hour

// keys returns the ids under which the payment of a notification may be known.
func (p *pending) keys() []uuid.UUID {
	ids := []uuid.UUID{p.key, conflictKey(p.key, p.n.amount.Format(AmountDigits))}
	if p.n.instant.IsZero() {
		ids = append(ids, paymentKey(p.n.bank, p.n.reference, p.date.AddDays(-1)))
	}
	return ids
}
