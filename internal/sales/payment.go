package sales

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// paymentInfo returns the part of the message of a ticket sold with wants_payment_info about paying by bank: the
// account and the amount. It is "" if the buyer has no identity document, by which the bank asks about the buyer, if
// the seller has no account, or if the ticket is in another currency than the bank's.
func (s *Service) paymentInfo(ctx context.Context, t *Ticket) (string, error) {
	if !t.WantsPaymentInfo || t.CustomerID == uuid.Nil || t.Currency.Code != s.Options.Payable {
		return "", nil
	}
	var row models.Customer
	if err := s.PG.Gorm.WithContext(ctx).Where("id = ?", t.CustomerID).Take(&row).Error; err != nil {
		return "", fmt.Errorf("load customer: %w", err)
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return "", err
	}
	account, ok := chain.MobilePayment()
	if !ok || row.IDDocument == nil || *row.IDDocument == "" {
		return "", nil
	}
	return fmt.Sprintf("\nPago móvil\nBanco: %s\nTeléfono: %s\nC.I./RIF: %s\nMonto: %s %s", account.Bank, account.Phone, account.IDDocument,
		t.Currency.Code, t.Total.FormatLocal(t.Currency.Digits)), nil
}

// announcePaymentTx has the payment that the message asks for announced to the bank domain, once a ticket.
func announcePaymentTx(ctx context.Context, tx pgx.Tx, t *Ticket, info string) error {
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
