package sales

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/customers"
	"banca/tasks"
	"banca/tasks/outbox"
)

// paymentInfo returns the text of the buyer's message that tells how to pay by bank: the account and the amount. It
// is "" if the sale had no wants_payment_info, if the buyer has no identity document (the bank's query names the
// client by it), if the seller has no account, or if the currency of the ticket is not the bank's.
func (s *Service) paymentInfo(ctx context.Context, t *Ticket, buyer customers.Contact) (string, error) {
	if !t.WantsPaymentInfo || buyer.IDDocument == "" || t.Currency.Code != s.Options.PaymentCurrency {
		return "", nil
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return "", err
	}
	account, ok := chain.MobilePayment()
	if !ok {
		return "", nil
	}
	return fmt.Sprintf("\nPago móvil\nBanco: %s\nTeléfono: %s\nC.I./RIF: %s\nMonto: %s %s", account.Bank, account.Phone, account.IDDocument,
		t.Currency.Code, t.Total.FormatLocal(t.Currency.Digits)), nil
}

// enqueuePaymentRequestTx enqueues the task that makes the payment request of a ticket in the bank domain, once per
// ticket. It does nothing without payment info.
func enqueuePaymentRequestTx(ctx context.Context, tx pgx.Tx, t *Ticket, info string) error {
	if info == "" {
		return nil
	}
	row, err := outbox.NewRow(tasks.BankRequest{TicketID: t.ID.String()}, outbox.WithID(uuid.NewSHA1(t.ID, []byte("bank.request"))))
	if err != nil {
		return err
	}
	_, err = outbox.EnqueueOnce(ctx, tx, row)
	return err
}
