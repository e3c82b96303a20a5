package bank

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging"
	"banca/internal/platform/money"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

func notifyTask(payment uuid.UUID) (outbox.Row, error) {
	return outbox.NewRow(tasks.BankNotify{PaymentID: payment})
}

// NotifyPayer is the handler of bank.notify: it sends the payer a confirmation, once per payment. A payer without a
// telephone gets none.
func (s *Service) NotifyPayer(ctx context.Context, paymentID uuid.UUID) error {
	var entity, currency uuid.UUID
	var amount money.Amount
	var reference, recipient string
	err := s.PG.Pool.QueryRow(ctx, `SELECT p.entity_id, p.currency_id, p.amount, p.reference, coalesce(r.client_phone, p.sender_phone, '')
		FROM bank_payments p LEFT JOIN payment_requests r ON r.id = p.request_id WHERE p.id = $1 AND p.entity_id IS NOT NULL`, paymentID).
		Scan(&entity, &currency, &amount, &reference, &recipient)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrPaymentNotFound
	}
	if err != nil || recipient == "" {
		return err
	}
	c, err := s.Ledger.AnyCurrency(ctx, currency.String())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Pago recibido · %s · referencia %s", c.Local(amount), reference)
	created := 0
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		created, err = s.Messages.QueueTx(ctx, tx, &messaging.Outgoing{EntityID: entity, About: paymentID, Kind: models.MessagePayment, Recipient: recipient, Body: text})
		return err
	})
	if err == nil && created > 0 {
		s.Wake()
	}
	return err
}
