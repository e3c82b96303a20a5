package sales

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/customers"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/tasks"
	"banca/tasks/outbox"
)

// paymentAccount returns the account that the buyer's message names, to pay by bank. It is nil if the sale had no wants_payment_info, if the buyer has
// no identity document (the bank's query names the client by it), if the seller has no account, or if the currency of the ticket is not the bank's.
func (s *Service) paymentAccount(ctx context.Context, t *Ticket, buyer customers.Contact) (*org.MobilePayment, error) {
	if !t.WantsPaymentInfo || buyer.IDDocument == "" || t.Currency.Code != s.Options.PaymentCurrency {
		return nil, nil //nolint:nilnil // most tickets are not paid by bank
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return nil, err
	}
	account, ok := chain.MobilePayment()
	if !ok {
		return nil, nil //nolint:nilnil // as above
	}
	return &account, nil
}

// paymentInfo returns the lines of the buyer's message that tell how to pay by bank: the account and the amount.
func paymentInfo(t *Ticket, account *org.MobilePayment, l templates.Language) string {
	if account == nil {
		return ""
	}
	format := "Pago móvil\nBanco: %s\nTeléfono: %s\nC.I./RIF: %s\nMonto: %s"
	if l == templates.English {
		format = "Mobile payment\nBank: %s\nPhone: %s\nID: %s\nAmount: %s"
	}
	return fmt.Sprintf(format, account.Bank, account.Phone, account.IDDocument, t.Currency.Local(t.Total))
}

// enqueuePaymentRequestTx enqueues the task that makes the payment request of a ticket in the bank domain, once per
// ticket.
func enqueuePaymentRequestTx(ctx context.Context, tx pgx.Tx, t *Ticket) error {
	row, err := outbox.NewRow(tasks.BankRequest{TicketID: t.ID}, outbox.WithID(uuid.NewSHA1(t.ID, []byte("bank.request"))))
	if err != nil {
		return err
	}
	_, err = outbox.EnqueueOnce(ctx, tx, row)
	return err
}
