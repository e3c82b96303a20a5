package sales

import (
	"context"

	"banca/internal/customers"
	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/internal/platform/telemetry"
	"banca/models"
)

// ticketMessage returns the message to the buyer with a picture: the receipt, or that the ticket was cancelled, and nil if the settings of the seller
// want none. payment reports whether the buyer is expected to pay by bank.
func (s *Service) ticketMessage(ctx context.Context, t *Ticket, buyer customers.Contact, picture string) (m *messaging.Outgoing, payment bool, err error) {
	m = &messaging.Outgoing{
		EntityID: t.EntityID, TicketID: t.ID, Kind: models.MessageReceipt, Recipient: buyer.Phone, ImageURL: picture,
		Trace: telemetry.TraceOf(ctx),
	}
	if t.cancelled() {
		m.Kind, m.About = models.MessageCancellation, t.ID
		return s.composed(ctx, m, func(templates.Language) templates.Values { return s.ticketValues(t, buyer.Name) }, false)
	}
	account, err := s.paymentAccount(ctx, t, buyer)
	if err != nil {
		return nil, false, err
	}
	return s.composed(ctx, m, func(l templates.Language) templates.Values {
		v := s.ticketValues(t, buyer.Name)
		v[templates.FieldPayment] = paymentInfo(t, account, l)
		return v
	}, account != nil)
}

// composed completes a message with its text.
func (s *Service) composed(ctx context.Context, m *messaging.Outgoing, values func(templates.Language) templates.Values, payment bool) (*messaging.Outgoing, bool, error) {
	text, err := s.Texts.Compose(ctx, &templates.Request{EntityID: m.EntityID, Purpose: templates.Purpose(m.Kind), Values: values})
	if err != nil || text == nil {
		return nil, payment, err
	}
	m.Body, m.Template = text.Body, text.Template
	return m, payment, nil
}

// ticketValues are the values of a ticket in the texts of messages.
func (s *Service) ticketValues(t *Ticket, buyer string) templates.Values {
	return templates.Values{
		templates.FieldCustomer: buyer, templates.FieldSerial: t.SerialCode, templates.FieldTotal: t.Currency.Local(t.Total),
		templates.FieldExpires: t.ExpiresAt.In(s.Options.Zone).Format("02/01/2006"), templates.FieldLink: s.Options.PublicURL + "/t/" + t.SerialCode,
	}
}
