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
type claim struct{ Payment, Ticket, Entity, Wallet uuid.UUID }

// Bounds of the claims of one sweep.
const (
	sweptClaims = 200
	claimedLate = 2 * time.Minute // after the sale, whose bank.claim has the first retries until then
)

const (
	claimsOfTicket = `SELECT p.bank_payment_id, p.ticket_id, w.entity_id, w.id FROM ticket_payments p JOIN wallets w ON w.id = p.wallet_id
		WHERE p.ticket_id = $1 AND p.bank_payment_id IS NOT NULL ORDER BY p.bank_payment_id`
	claimsLeft = `SELECT b.id, p.ticket_id, w.entity_id, w.id FROM bank_payments b JOIN ticket_payments p ON p.bank_payment_id = b.id AND p.released_at IS NULL
		JOIN wallets w ON w.id = p.wallet_id WHERE b.state = 'suspense' AND b.currency_id = $1 AND p.created_at < $2 ORDER BY b.received_at LIMIT $3`
)

// ClaimForTicket is the handler of bank.claim. It books the payments in the suspense wallet that have paid a ticket to the ticket's
// wallet, each once. A cancellation of the ticket before that leaves them unreconciled.
func (s *Service) ClaimForTicket(ctx context.Context, ticket uuid.UUID) error {
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return err
	}
	_, err = s.claim(ctx, d, claimsOfTicket, ticket)
	return err
}

// SweepClaims books the payments whose bank.claim has failed for good, the oldest first, and returns their number. It is idempotent.
func (s *Service) SweepClaims(ctx context.Context) (int, error) {
	d, err := s.cachedDirectory(ctx)
	if err != nil {
		return 0, err
	}
	return s.claim(ctx, d, claimsLeft, d.currency.ID, s.Clock.Now().Add(-claimedLate), sweptClaims)
}

// claim books the payments that a statement selects, each in a transaction of its own, and returns their number. One that cannot be
// booked keeps no other one waiting.
func (s *Service) claim(ctx context.Context, d *directory, sql string, args ...any) (n int, err error) {
	list, err := storage.Collect(ctx, s.PG.Pool, "payments to claim", pgx.RowToStructByPos[claim], sql, args...)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	defer s.Wake()
	var failed []error
	for i := range list {
		if err := s.PG.Retried(ctx, func(tx pgx.Tx) error { return s.claimTx(ctx, tx, d, &list[i]) }); err != nil {
			failed = append(failed, fmt.Errorf("claim payment %s: %w", list[i].Payment, err))
		}
	}
	return len(list) - len(failed), errors.Join(failed...)
}

// claimTx books a payment that is in the suspense wallet and pays the ticket to the ticket's wallet.
func (s *Service) claimTx(ctx context.Context, tx pgx.Tx, d *directory, c *claim) error {
	row, err := readPayment(ctx, tx, `SELECT `+paymentColumns+` FROM bank_payments WHERE id = $1 FOR UPDATE`, c.Payment)
	if err != nil {
		return err
	}
	payer, err := payerTx(ctx, tx, row.ID)
	if err != nil || row.State != models.PaymentSuspense || payer != c.Ticket {
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
