package sales

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/phone"
)

// meaningOf returns the meaning of a sale's request. The meaning does not depend on the catalogue, so a repeat is
// recognised after the draws have closed. It includes the order of the lines, and the order of a line's elements if
// that order matters for the bet type. meaningOf returns an error if the currency cannot be read.
func (s *Service) meaningOf(ctx context.Context, req *SellRequest) (idempotency.Meaning, error) {
	currency, err := s.canonicalCurrency(ctx, req.Currency)
	if err != nil {
		return idempotency.Meaning{}, err
	}
	fields := []string{req.EntityID.String(), currency, idempotency.Flag(req.WantsPaymentInfo), idempotency.Flag(req.AcceptPartial)}
	switch {
	case req.CustomerID != uuid.Nil:
		fields = append(fields, "customer_id", req.CustomerID.String())
	case req.Customer != nil:
		fields = append(fields, "customer", strings.TrimSpace(req.Customer.Name), normalisedPhone(req.Customer.Phone), normalisedDocument(req.Customer.IDDocument))
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

// canonicalCurrency returns the id of the currency with the code or id named, which may be retired. If there is no
// such currency, it returns named itself.
func (s *Service) canonicalCurrency(ctx context.Context, named string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	c, err := s.Ledger.AnyCurrency(ctx, named)
	switch {
	case errors.Is(err, ledger.ErrCurrencyNotFound):
		return named, nil
	case err != nil:
		return "", ledger.Refusal(err)
	}
	return c.ID.String(), nil
}

// meaning returns the meaning of a cancellation's request.
func (r *CancelRequest) meaning() idempotency.Meaning {
	return idempotency.Of("cancel", r.TicketID.String())
}

func normalisedPhone(text string) string {
	if number, err := phone.Normalise(text); err == nil {
		return number
	}
	return text
}

func normalisedDocument(text string) string {
	if id, err := iddoc.Parse(text); err == nil {
		return id.String()
	}
	return text
}
