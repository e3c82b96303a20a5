package tickets

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Means by which a ticket is paid.
const (
	Cash   = "cash"
	Card   = "card"
	Mobile = "mobile"
)

// Means lists the means of payment.
func Means() []string { return []string{Cash, Card, Mobile} }

// Payment is a row of ticket_payments. A ticket that was paid in exact cash of its currency has none.
type Payment struct {
	TicketID      uuid.UUID
	WalletID      uuid.UUID // of the ticket
	LineNo        int16
	Means         string
	CurrencyID    uuid.UUID
	Amount        int64     // minor units of the currency; negative for change
	Value         int64     // minor units of the ticket's currency
	Rate          int64     // in units of 10^-8; 0 in the ticket's currency
	RateBaseID    uuid.UUID // the currency of which Rate prices one unit
	Reference     string
	BankPaymentID uuid.UUID // of a mobile payment
	CreatedAt     time.Time
}

// QueuePayments adds to a batch the insertion of payments, if there are any.
func QueuePayments(b *pgx.Batch, list []Payment) {
	n := len(list)
	if n == 0 {
		return
	}
	wallets := make(storage.UUIDs, n)
	ids, currencies, bases, credits := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.MaybeUUIDs, n), make(storage.MaybeUUIDs, n)
	numbers, means, references := make(storage.Smallints, n), make(storage.Texts, n), make(storage.Texts, n)
	amounts, values, rates, created := make(storage.Bigints, n), make(storage.Bigints, n), make(storage.Bigints, n), make(storage.Timestamps, n)
	for i := range list {
		p := &list[i]
		ids[i], numbers[i], means[i], currencies[i], amounts[i], values[i] = p.TicketID, p.LineNo, p.Means, p.CurrencyID, p.Amount, p.Value
		wallets[i] = p.WalletID
		rates[i], bases[i], references[i], credits[i], created[i] = p.Rate, p.RateBaseID, p.Reference, p.BankPaymentID, p.CreatedAt
	}
	b.Queue(`INSERT INTO ticket_payments (ticket_id, line_no, means, currency_id, amount, value, rate, rate_base_id, reference, bank_payment_id, created_at, wallet_id)
		SELECT unnest($1::uuid[]), unnest($2::smallint[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::bigint[]), unnest($6::bigint[]),
			nullif(unnest($7::bigint[]), 0), unnest($8::uuid[]), unnest($9::text[]), unnest($10::uuid[]), unnest($11::timestamptz[]), unnest($12::uuid[])`,
		ids, numbers, means, currencies, amounts, values, rates, bases, references, credits, created, wallets)
}

// ReleasePaymentsTx gives the credits of the bank back that paid a ticket, so that they may pay another one.
func ReleasePaymentsTx(ctx context.Context, tx pgx.Tx, ticket uuid.UUID, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE ticket_payments SET released_at = $2 WHERE ticket_id = $1 AND bank_payment_id IS NOT NULL AND released_at IS NULL`, ticket, at)
	if err != nil {
		return fmt.Errorf("release payments: %w", err)
	}
	return nil
}

// PaymentsOf returns how a ticket was paid, in order.
func PaymentsOf(ctx context.Context, q storage.Querier, ticket uuid.UUID) ([]Payment, error) {
	return storage.Collect(ctx, q, "payments of a ticket", pgx.RowToStructByName[Payment], `SELECT ticket_id, wallet_id, line_no, means, currency_id, amount, value, coalesce(rate, 0) AS rate,
		coalesce(rate_base_id, $2) AS rate_base_id, reference, coalesce(bank_payment_id, $2) AS bank_payment_id, created_at
		FROM ticket_payments WHERE ticket_id = $1 ORDER BY line_no`, ticket, uuid.Nil)
}
