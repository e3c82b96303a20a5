package sales

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/iddoc"
	"banca/internal/idempotency"
	"banca/internal/phone"
)

// usedKey is an idempotency key as a request uses it; its id is Nil without one.
type usedKey struct {
	id      uuid.UUID
	meaning idempotency.Meaning
}

// meaningOf is what a sale's request means. It is known without the catalogue, so that a repeat is recognised after
// the draws have closed; the order of lines and of elements within a line is part of it.
func (s *Service) meaningOf(ctx context.Context, req *SellRequest) idempotency.Meaning {
	fields := []string{req.EntityID.String(), s.currencyMeant(ctx, req.Currency), idempotency.Flag(req.WantsPaymentInfo), idempotency.Flag(req.AcceptPartial)}
	switch {
	case req.CustomerID != uuid.Nil:
		fields = append(fields, "customer_id", req.CustomerID.String())
	case req.Customer != nil:
		fields = append(fields, "customer", strings.TrimSpace(req.Customer.Name), phoneMeant(req.Customer.Phone), documentMeant(req.Customer.IDDocument))
	}
	for i := range req.Items {
		item := &req.Items[i]
		draw := item.DrawID
		if id, err := uuid.Parse(draw); err == nil {
			draw = id.String()
		}
		fields = append(fields, draw, item.BetType, idempotency.Decimal(item.Amount), strconv.Itoa(len(item.Selection)))
		fields = append(fields, item.Selection...)
	}
	return idempotency.Of("sell", fields...)
}

// currencyMeant is the id of a currency named by its code or id, also of one that was retired since; a text that names none stays.
func (s *Service) currencyMeant(ctx context.Context, named string) string {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if c, err := s.Ledger.CurrencyEver(ctx, named); err == nil {
		return c.ID.String()
	}
	return named
}

// meaning is what a cancellation's request means.
func (r *CancelRequest) meaning() idempotency.Meaning {
	return idempotency.Of("cancel", r.TicketID.String())
}

func phoneMeant(text string) string {
	if number, err := phone.Normalise(text); err == nil {
		return number
	}
	return text
}

func documentMeant(text string) string {
	if id, err := iddoc.Parse(text); err == nil {
		return id.String()
	}
	return text
}
