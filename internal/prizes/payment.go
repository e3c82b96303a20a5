package prizes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// Payment is a prize that was paid out.
type Payment struct {
	ID            uuid.UUID
	TicketID      uuid.UUID
	Serial        string
	EntityID      uuid.UUID // the entity that sold the ticket
	WalletID      uuid.UUID // credited
	Currency      ledger.Currency
	Amount        money.Amount
	TransactionID uuid.UUID
	PaidBy        uuid.UUID
	Payer         string // name of the user; set in a Detail only
	PayerEntity   string // name of the entity of the user; as Payer
	PaidAt        time.Time
	CancelledBy   uuid.UUID
	CancelledAt   time.Time // zero while it stands
	CancelReason  string
}

func (p *Payment) insert(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `INSERT INTO paid_prizes (id, ticket_id, entity_id, wallet_id, currency_id, amount, transaction_id, paid_by, paid_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, p.ID, p.TicketID, p.EntityID, p.WalletID, p.Currency.ID, p.Amount, p.TransactionID, p.PaidBy, p.PaidAt)
	if err != nil {
		return fmt.Errorf("file payment: %w", err)
	}
	return nil
}

const paymentColumns = `p.id, p.ticket_id, t.serial_code, p.entity_id, p.wallet_id, c.id, c.code, c.name, c.symbol, c.digits, c.status, p.amount,
	p.transaction_id, p.paid_by, p.paid_at, p.cancelled_by, p.cancelled_at, p.cancel_reason
	FROM paid_prizes p JOIN tickets t ON t.id = p.ticket_id JOIN currencies c ON c.id = p.currency_id`

func scanPayment(row pgx.CollectableRow) (Payment, error) {
	var p Payment
	var cancelledBy uuid.NullUUID
	var cancelledAt *time.Time
	err := row.Scan(&p.ID, &p.TicketID, &p.Serial, &p.EntityID, &p.WalletID, &p.Currency.ID, &p.Currency.Code, &p.Currency.Name, &p.Currency.Symbol,
		&p.Currency.Digits, &p.Currency.Status, &p.Amount, &p.TransactionID, &p.PaidBy, &p.PaidAt, &cancelledBy, &cancelledAt, &p.CancelReason)
	p.PaidAt, p.CancelledBy, p.CancelledAt = p.PaidAt.UTC(), cancelledBy.UUID, models.Instant(cancelledAt)
	return p, err
}

func payments(ctx context.Context, q storage.Querier, where string, args ...any) ([]Payment, error) {
	return storage.Collect(ctx, q, "payments", scanPayment,
		`SELECT `+paymentColumns+` WHERE `+where+` ORDER BY p.paid_at DESC, p.id DESC`, args...)
}

// live returns the payment of a held ticket that stands. Errors: ErrNotPaid.
func live(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*Payment, error) {
	list, err := payments(ctx, tx, `p.ticket_id = $1 AND p.cancelled_at IS NULL`, id)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNotPaid
	}
	return &list[0], nil
}

// paymentAnswer returns the data from which a repeat is answered: the payment's id.
func paymentAnswer(ticket, payment uuid.UUID) *idempotency.Answer {
	return &idempotency.Answer{TicketID: ticket, Response: payment[:]}
}

// answered returns the payment that a key was answered with.
func (s *Service) answered(ctx context.Context, first *idempotency.Answer) (*Payment, error) {
	id, err := first.ID()
	if err != nil {
		return nil, err
	}
	list, err := payments(ctx, s.PG.Pool, `p.id = $1`, id)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("stored answer: no payment %s", id)
	}
	return &list[0], nil
}
