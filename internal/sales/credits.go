package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/ratelimit"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// creditDays is how many days before today the bank may have dated a credit that pays a ticket.
const creditDays = 3

// fittingSQL selects the credits of an amount to a ticket point, or to the suspense wallet, dated from a day on, whose reference ends in
// digits. The credit of a request that pays another ticket, or by which the ticket point pays what it owes, is not the payment
// of a buyer at the counter.
const fittingSQL = `SELECT p.id, p.state = 'suspense' AS suspense, EXISTS (SELECT 1 FROM ticket_payments u WHERE u.bank_payment_id = p.id AND u.released_at IS NULL) AS spent FROM bank_payments p
	WHERE p.currency_id = $2 AND p.amount = $3 AND right(p.reference, 4) = right($4, 4) AND right(p.reference, length($4)) = $4
		AND p.local_date >= $5 AND p.entity_id IS NOT NULL
		AND (p.state IN ('credited', 'assigned') AND p.entity_id = $1 OR p.state = 'suspense')
		AND NOT EXISTS (SELECT 1 FROM payment_requests r WHERE r.id = p.request_id AND (r.ticket_id IS NOT NULL OR r.origin <> 'manual'))
	ORDER BY p.id LIMIT $6`

// maxCredits bounds the credits that are compared; that many of one amount and ending in three days are unclear in any case.
const maxCredits = 100

type credit struct {
	ID       uuid.UUID
	Suspense bool // it is not booked to the ticket point yet
	Spent    bool
}

// Four digits and an amount are soon guessed, and a credit in suspense may be of any ticket point.
const (
	wrongReferences = 30 // of one ticket point
	referenceWindow = 15 * time.Minute
)

// findCredit finds the one credit of the bank that a mobile payment is. Errors: ErrNotArrived, ErrPaymentUnclear, ErrPaymentUsed,
// ErrManyReferences, whether this one is right or wrong.
func (s *Service) findCredit(ctx context.Context, q *quote, p *Payment, at string) error {
	err := s.fittingCredit(ctx, q, p, at)
	if err != nil && !errors.Is(err, ErrNotArrived) {
		return err
	}
	wait, counted := s.Guesses.Count(ctx, err == nil,
		ratelimit.Subject{Key: "sales:references:" + q.chain.Self().ID.String(), Wrong: wrongReferences, Window: referenceWindow})
	switch {
	case counted != nil:
		return apperr.ErrStore.WithCause(counted)
	case wait > 0:
		return ErrManyReferences.At(at + ".reference")
	default:
		return err
	}
}

func (s *Service) fittingCredit(ctx context.Context, q *quote, p *Payment, at string) error {
	since := businessday.Of(q.now, s.Options.Zone).AddDays(-creditDays)
	list, err := storage.Collect(ctx, s.PG.Pool, "credits", pgx.RowToStructByName[credit],
		fittingSQL, q.chain.Self().ID, p.Currency.ID, p.Amount, p.Reference, since, maxCredits)
	if err != nil {
		return apperr.ErrStore.WithCause(err)
	}
	found, spent := credit{}, false
	for _, c := range list {
		switch {
		case c.Spent || q.uses(c.ID):
			spent = true
		case found.ID != uuid.Nil:
			return ErrPaymentUnclear.At(at + ".reference")
		default:
			found = c
		}
	}
	switch {
	case found.ID != uuid.Nil:
		p.bank, p.suspense = found.ID, found.Suspense
		return nil
	case spent:
		return ErrPaymentUsed.At(at + ".reference")
	default:
		return ErrNotArrived.At(at + ".reference")
	}
}

// uses reports whether a credit is a payment of the quote.
func (q *quote) uses(credit uuid.UUID) bool {
	for i := range q.payments {
		if q.payments[i].bank == credit {
			return true
		}
	}
	return false
}

// creditFact is a credit of the bank that pays a ticket of a batch, read under a shared lock of its row.
type creditFact struct {
	state  string
	entity uuid.UUID
	spent  bool // by a ticket
}

// queueCredits locks the credits that pay tickets of a batch shared, before its wallets, and reads them, if there are any: an operator
// who resolves one waits, or has done it. A credit that another process spends meanwhile violates a unique index, and
// the batch is decided again.
func (f *facts) queueCredits(b *pgx.Batch, batch []*pendingSale) {
	var ids storage.UUIDs
	for _, p := range batch {
		for i := range p.quote.payments {
			if id := p.quote.payments[i].bank; id != uuid.Nil {
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	f.credits = make(map[uuid.UUID]*creditFact)
	var id, entity uuid.UUID
	var state string
	var spent bool
	b.Queue(`SELECT id FROM bank_payments WHERE id = ANY ($1::uuid[]) ORDER BY id FOR SHARE`, ids)
	b.Queue(`SELECT p.id, p.state, coalesce(p.entity_id, $2), EXISTS (SELECT 1 FROM ticket_payments u WHERE u.bank_payment_id = p.id AND u.released_at IS NULL)
		FROM bank_payments p WHERE p.id = ANY ($1::uuid[])`, ids, uuid.Nil).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&id, &state, &entity, &spent}, func() error {
			f.credits[id] = &creditFact{state: state, entity: entity, spent: spent}
			return nil
		})
		return err
	})
}

// spend takes the credits that pay a sale. Errors: ErrPaymentUsed, ErrNotArrived for a credit that an operator has given to someone
// else since the quote.
func (f *facts) spend(p *pendingSale) error {
	for i := range p.quote.payments {
		id := p.quote.payments[i].bank
		if id == uuid.Nil {
			continue
		}
		switch c := f.credits[id]; {
		case c == nil || c.state != models.PaymentSuspense && (c.entity != p.ticket.EntityID || c.state != models.PaymentCredited && c.state != models.PaymentAssigned):
			return ErrNotArrived
		case c.spent:
			return ErrPaymentUsed
		}
	}
	for i := range p.quote.payments {
		if c := f.credits[p.quote.payments[i].bank]; c != nil {
			c.spent = true
		}
	}
	return nil
}

// claims returns the task that books the credits in the suspense wallet to the wallet of the ticket that they pay; none without such
// credits.
func (p *pendingSale) claims(ctx context.Context) ([]outbox.Row, error) {
	for i := range p.quote.payments {
		if p.quote.payments[i].suspense {
			row, err := outbox.NewRow(tasks.BankClaim{TicketID: p.ticket.ID}, outbox.TracedBy(ctx))
			if err != nil {
				return nil, fmt.Errorf("claim task: %w", err)
			}
			return []outbox.Row{row}, nil
		}
	}
	return nil, nil
}
