package sales

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/storage"
)

// creditDays is how many days before today the bank may have dated a credit that pays a ticket.
const creditDays = 3

// fittingSQL selects the credits of an amount to a ticket point, dated from a day on, whose reference ends in digits. A credit is
// final: its state and entity never change. The credit of a request that pays another ticket, or by which the ticket point
// pays what it owes, is not the payment of a buyer at the counter.
const fittingSQL = `SELECT p.id, EXISTS (SELECT 1 FROM ticket_payments u WHERE u.bank_payment_id = p.id AND u.released_at IS NULL) AS spent FROM bank_payments p
	WHERE p.entity_id = $1 AND p.currency_id = $2 AND p.amount = $3 AND right(p.reference, 4) = right($4, 4) AND right(p.reference, length($4)) = $4
		AND p.local_date >= $5 AND p.state IN ('credited', 'assigned') AND p.entity_id IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM payment_requests r WHERE r.id = p.request_id AND (r.ticket_id IS NOT NULL OR r.origin <> 'manual'))
	ORDER BY p.id LIMIT $6`

// maxCredits bounds the credits that are compared; that many of one amount and ending in three days are unclear in any case.
const maxCredits = 100

type credit struct {
	ID    uuid.UUID
	Spent bool
}

// findCredit finds the one credit of the bank that a mobile payment is. Errors: ErrNotArrived, ErrPaymentUnclear, ErrPaymentUsed.
func (s *Service) findCredit(ctx context.Context, q *quote, p *Payment, at string) error {
	since := businessday.Of(q.now, s.Options.Zone).AddDays(-creditDays)
	list, err := storage.Collect(ctx, s.PG.Pool, "credits", pgx.RowToStructByName[credit],
		fittingSQL, q.chain.Self().ID, p.Currency.ID, p.Amount, p.Reference, since, maxCredits)
	if err != nil {
		return apperr.ErrStore.WithCause(err)
	}
	found, spent := uuid.Nil, false
	for _, c := range list {
		switch {
		case c.Spent || q.uses(c.ID):
			spent = true
		case found != uuid.Nil:
			return ErrPaymentUnclear.At(at + ".reference")
		default:
			found = c.ID
		}
	}
	switch {
	case found != uuid.Nil:
		p.bank = found
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

// queueSpent reads which of the credits that pay tickets of a batch have paid one, if any does. A credit that another process
// spends meanwhile violates a unique index, and the batch is decided again.
func (f *facts) queueSpent(b *pgx.Batch, batch []*pendingSale) {
	var credits storage.UUIDs
	for _, p := range batch {
		for i := range p.quote.payments {
			if id := p.quote.payments[i].bank; id != uuid.Nil {
				credits = append(credits, id)
			}
		}
	}
	if len(credits) == 0 {
		return
	}
	f.spent = make(map[uuid.UUID]bool)
	b.Queue(`SELECT bank_payment_id FROM ticket_payments WHERE bank_payment_id = ANY ($1::uuid[]) AND released_at IS NULL`, credits).Query(func(rows pgx.Rows) error {
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
			f.spent[id] = true
			return nil
		})
		return err
	})
}

// spend adds the credits that pay a sale to the spent ones, or returns false if one of them is.
func (f *facts) spend(p *pendingSale) bool {
	for i := range p.quote.payments {
		if f.spent[p.quote.payments[i].bank] {
			return false
		}
	}
	for i := range p.quote.payments {
		if id := p.quote.payments[i].bank; id != uuid.Nil {
			f.spent[id] = true
		}
	}
	return true
}
