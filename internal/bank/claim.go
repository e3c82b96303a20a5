package bank

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// claim is a payment that has paid a ticket, and the wallet and entity of the ticket.
type claim struct{ Payment, Entity, Wallet uuid.UUID }

// ClaimForTicket is the handler of bank.claim. It books the payments in the suspense wallet that have paid a ticket to the ticket's
// wallet, each once. A cancellation of the ticket before that leaves them unreconciled.
func (s *Service) ClaimForTicket(ctx context.Context, ticket uuid.UUID) error {
	list, err := storage.Collect(ctx, s.PG.Pool, "payments to claim", pgx.RowToStructByPos[claim],
		`SELECT p.bank_payment_id, t.entity_id, t.wallet_id FROM ticket_payments p JOIN tickets t ON t.id = p.ticket_id WHERE p.ticket_id = $1 AND p.bank_payment_id IS NOT NULL
		ORDER BY p.bank_payment_id`, ticket)
	if err != nil || len(list) == 0 {
		return err
	}
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return err
	}
	for i := range list {
		if err := s.PG.Retried(ctx, func(tx pgx.Tx) error { return s.claimTx(ctx, tx, d, ticket, &list[i]) }); err != nil {
			return fmt.Errorf("claim payment %s: %w", list[i].Payment, err)
		}
	}
	s.Wake()
	return nil
}

// claimTx books a payment that is in the suspense wallet and pays the ticket to the ticket's wallet.
func (s *Service) claimTx(ctx context.Context, tx pgx.Tx, d *directory, ticket uuid.UUID, c *claim) error {
	row, err := readPayment(ctx, tx, `SELECT `+paymentColumns+` FROM bank_payments WHERE id = $1 FOR UPDATE`, c.Payment)
	if err != nil {
		return err
	}
	payer, err := payerTx(ctx, tx, row.ID)
	if err != nil || row.State != models.PaymentSuspense || payer != ticket {
		return err
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	if err := s.assignTx(ctx, tx, d, row, target{entity: c.Entity, wallet: c.Wallet}, now); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `UPDATE bank_payments SET resolved_at = $2 WHERE id = $1`, row.ID, now); err != nil {
		return fmt.Errorf("resolve payment: %w", err)
	}
	return nil
}

// payerTx returns the ticket that a payment has paid, or Nil. A sale locks the payments that it names shared until its commit, so the
// answer holds while the caller has the lock of the payment's row.
func payerTx(ctx context.Context, tx pgx.Tx, payment uuid.UUID) (ticket uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `SELECT ticket_id FROM ticket_payments WHERE bank_payment_id = $1 AND released_at IS NULL`, payment).Scan(&ticket)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, fmt.Errorf("ticket of a payment: %w", err)
	}
	return ticket, nil
}
