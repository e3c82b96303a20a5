package sales

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/customers"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/iddoc"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/phone"
)

// request is a SellRequest in its normal form, which is quoted and which its idempotency key stands for. A text
// without a normal form stays as it was sent; the quote refuses it.
type request struct {
	*SellRequest

	draws    []uuid.NullUUID // of the items
	customer *NewCustomer    // nil if none is named by telephone
	refusal  error           // of the customer
}

// requestOf returns the normal form of a request. It reads no store.
func requestOf(req *SellRequest) *request {
	r := &request{SellRequest: req, draws: make([]uuid.NullUUID, len(req.Items))}
	for i := range req.Items {
		id, err := uuid.Parse(req.Items[i].DrawID)
		r.draws[i] = uuid.NullUUID{UUID: id, Valid: err == nil}
	}
	if req.Customer != nil {
		customer := *req.Customer
		r.customer, r.refusal = &customer, customer.normalise()
	}
	return r
}

// drawIDs returns the valid draws of the items, each once.
func (r *request) drawIDs() []uuid.UUID {
	var ids []uuid.UUID
	for _, draw := range r.draws {
		if draw.Valid && !slices.Contains(ids, draw.UUID) {
			ids = append(ids, draw.UUID)
		}
	}
	return ids
}

// normalise brings a buyer into the normal form. Errors: ErrInvalidCustomer.
func (c *NewCustomer) normalise() error {
	c.Name = strings.TrimSpace(c.Name)
	number, err := phone.Normalise(c.Phone)
	if err == nil {
		c.Phone = number
	}
	valid := err == nil && customers.ValidName(c.Name)
	id, err := iddoc.Parse(c.IDDocument)
	if err == nil {
		c.IDDocument = id.String()
	}
	switch {
	case !valid:
		return ErrInvalidCustomer
	case err != nil && c.IDDocument != "":
		return ErrInvalidCustomer.WithDetails(apperr.Detail{Location: "customer.id_document", Message: iddoc.Expected})
	}
	return nil
}

// meaning returns the meaning of a sale in a currency. It does not depend on the catalogue, so a repeat is recognised
// after the draws have closed. It includes the order of the lines, and the order of a line's elements if that order
// matters for the bet type, and how the ticket is paid (paidAs).
func (r *request) meaning(currency string, paid ...string) idempotency.Meaning {
	fields := []string{
		r.EntityID.String(), currency, idempotency.Flag(r.WantsPaymentInfo), idempotency.Flag(r.AcceptPartial),
	}
	switch {
	case r.CustomerID != uuid.Nil:
		fields = append(fields, "customer_id", r.CustomerID.String())
	case r.customer != nil:
		fields = append(fields, "customer", r.customer.Name, r.customer.Phone, r.customer.IDDocument)
	}
	fields = append(fields, paid...)
	for i := range r.Items {
		item := &r.Items[i]
		draw := item.DrawID
		if r.draws[i].Valid {
			draw = r.draws[i].UUID.String()
		}
		codes := catalog.NormaliseCodes(item.BetType, item.Selection)
		fields = append(fields, draw, item.BetType, idempotency.Decimal(item.Amount), strconv.Itoa(len(codes)))
		fields = append(fields, codes...)
	}
	return idempotency.Of("sell", fields...)
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
