package bank

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
)

// keyNamespace is the UUID namespace of payments; it is arbitrary and permanent.
const keyNamespace = "0b9d6a56-7c0e-4d4f-8f0a-5a6d2c1e9f37"

// pending is a notification to commit, with its decision and its outcome.
type pending struct {
	n         *values
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
	n, err := readFields(PhaseNotification, fields, s.Options.Zone)
	if err != nil {
		return false, e.badField(err)
	}
	e.pass(CheckFields)
	e.fields, e.reference, e.bank, e.phone, e.amount = n.stored, n.reference, n.bank, n.senderPhone, n.amount
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return false, err
	}
	p := newPending(n, e, d, s.Options.Zone)
	s.commit(ctx, p)
	e.answer = p.answer
	return p.answer, p.err
}

// newPending returns a notification to commit. Its date is FechaHora's or, without it, the date of receipt.
func newPending(n *values, e *event, d *directory, zone *time.Location) *pending {
	at := n.instant
	if at.IsZero() {
		at = e.at
	}
	date := businessday.Of(at, zone)
	return &pending{n: n, e: e, directory: d, date: date, key: paymentKey(n.bank, n.reference, date), checks: len(e.checks)}
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

// keys returns the ids of the payment of a notification: as the first of its key, and as a conflict with it.
func (p *pending) keys() []uuid.UUID { return p.keysOf(p.key) }

// keysBefore returns the ids that the payment of a notification without FechaHora had if it arrived the day before.
func (p *pending) keysBefore() []uuid.UUID {
	if !p.n.instant.IsZero() {
		return nil
	}
	return p.keysOf(paymentKey(p.n.bank, p.n.reference, p.date.AddDays(-1)))
}

func (p *pending) keysOf(key uuid.UUID) []uuid.UUID {
	return []uuid.UUID{key, conflictKey(key, p.n.amount.Format(AmountDigits))}
}
