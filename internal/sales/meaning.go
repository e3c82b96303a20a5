package sales

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/iddoc"
	"banca/internal/idempotency"
	"banca/internal/ledger"
	"banca/internal/phone"
)

// meaningOf returns the meaning of a sale's request. It does not depend on the catalogue, so that a repeat is
// recognised after the draws have closed. The order of lines is part of it, and the order of a line's elements if its
// bet type depends on it. It returns an error if the currency cannot be read.
func (s *Service) meaningOf(ctx context.Context, req *SellRequest) (idempotency.Meaning, error) {
	currency, err := s.currencyMeant(ctx, req.Currency)
	if err != nil {
		return idempotency.Meaning{}, err
	}
	fields := []string{req.EntityID.String(), currency, idempotency.Flag(req.WantsPaymentInfo), idempotency.Flag(req.AcceptPartial)}
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
		codes := catalog.NormaliseCodes(item.BetType, item.Selection)
		fields = append(fields, draw, item.BetType, idempotency.Decimal(item.Amount), strconv.Itoa(len(codes)))
		fields = append(fields, codes...)
	}
	return idempotency.Of("sell", fields...), nil
}

// currencyMeant returns the id of a currency named by its code or id, also of a retired one, and the text itself if no
// currency has that name.
func (s *Service) currencyMeant(ctx context.Context, named string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	c, err := s.Ledger.CurrencyEver(ctx, named)
	switch {
	case errors.Is(err, ledger.ErrCurrencyNotFound):
		return named, nil
	case err != nil:
		return "", Refusal(err)
	}
	return c.ID.String(), nil
}

// meaning returns the meaning of a cancellation's request.
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
