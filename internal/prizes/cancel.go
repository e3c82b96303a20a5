package prizes

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/idempotency"
	"banca/internal/ledger"
	"banca/internal/sales"
	"banca/models"
)

// maxText bounds a reason or a note, in characters.
const maxText = 300

func checkText(text string) (string, error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxText {
		return "", ErrTextTooLong
	}
	return text, nil
}

// CancelRequest asks to take a payment back.
type CancelRequest struct {
	TicketID       uuid.UUID
	UserID         uuid.UUID
	Scope          string
	Reason         string
	IdempotencyKey string
}

// Cancelled is the answer to taking a payment back.
type Cancelled struct {
	Payment  Payment
	Status   string // of the ticket now
	Replayed bool
}

// Cancel takes the payment of a ticket back: its booking is reversed, which the point's wallet must cover, the ticket
// is what its results make of it again, and a difference of the payment is void. The time to collect the prize
// is what it was. Errors: sales.ErrTicketNotFound, sales.ErrKeyReused, sales.ErrInvalidKey, ErrNotPaid, ErrTextTooLong,
// ledger.ErrInsufficientBalance, sales.ErrStore, sales.ErrUnknownOutcome.
func (s *Service) Cancel(ctx context.Context, req *CancelRequest) (*Cancelled, error) {
	ctx, cancel := context.WithTimeout(ctx, payTimeout)
	defer cancel()
	reason, err := checkText(req.Reason)
	if err != nil {
		return nil, err
	}
	t, err := s.visible(ctx, req.Scope, req.TicketID)
	if err != nil {
		return nil, translate(err)
	}
	key, err := sales.KeyID(t.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	use := &keyUse{id: key, meaning: idempotency.Of("unpay", t.ID.String(), strings.TrimSpace(req.Reason)), ticket: t.ID}
	if first, err := s.before(ctx, use); first != nil || err != nil {
		return s.cancelledBefore(ctx, first, err)
	}
	undo := &undoing{user: req.UserID, reason: reason, id: uuid.Must(uuid.NewV7())}
	ctx = context.WithoutCancel(ctx)
	timed, end := context.WithTimeout(ctx, payTimeout)
	defer end()
	err = s.PG.Retried(timed, func(tx pgx.Tx) error { return s.cancelTx(timed, tx, t.ID, undo, use) })
	if err != nil {
		err = s.outcomeOf(ctx, t.ID, undo.id, err)
	}
	if err != nil {
		if first, _ := s.before(ctx, use); first != nil { // the equal request may have been first
			return s.cancelledBefore(ctx, first, nil)
		}
		return nil, err
	}
	s.updated(ctx, t.ID, t.EntityID, undo.status)
	return &Cancelled{Payment: undo.payment, Status: undo.status}, nil
}

// cancelledBefore answers the repeat of a cancellation with the payment as it was taken back.
func (s *Service) cancelledBefore(ctx context.Context, first *Payment, err error) (*Cancelled, error) {
	if err != nil {
		return nil, err
	}
	t, err := one[ticket](ctx, s.PG.Pool, sales.ErrTicketNotFound, `SELECT `+ticketColumns+` FROM tickets t WHERE t.id = $1`, first.TicketID)
	if err != nil {
		return nil, translate(err)
	}
	return &Cancelled{Payment: *first, Status: t.Status, Replayed: true}, nil
}

// undoing is a payment on its way back.
type undoing struct {
	user    uuid.UUID
	reason  string
	id      uuid.UUID // of the reversal
	at      time.Time
	payment Payment
	status  string // of the ticket afterwards
}

func (s *Service) cancelTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, u *undoing, use *keyUse) error {
	h, err := hold(ctx, tx, id)
	if err != nil {
		return err
	}
	if h.Status != models.TicketPaid {
		return ErrNotPaid
	}
	u.at = s.Clock.Now().Truncate(time.Microsecond)
	reversal, err := s.reversal(ctx, tx, h, u)
	if err != nil {
		return err
	}
	if err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{h.WalletID}, *reversal); err != nil {
		return err
	}
	if err := u.close(ctx, tx); err != nil {
		return err
	}
	w, err := worthOf(ctx, tx, id)
	if err != nil {
		return err
	}
	if u.status, err = w.apply(ctx, tx, id); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE prize_differences SET status = 'void', closed_at = $2, closed_by = $3, note = 'payment cancelled'
		WHERE ticket_id = $1 AND status = 'open'`, id, u.at, u.user)
	if err != nil {
		return fmt.Errorf("void difference: %w", err)
	}
	if err := use.insert(ctx, tx, u.payment.ID); err != nil {
		return err
	}
	return s.record(ctx, tx, "cancel", &h.ticket, map[string]any{
		"serial_code": h.Serial, "amount": u.payment.Amount.Format(u.payment.Currency.Digits), "currency": u.payment.Currency.Code, "reason": u.reason,
	})
}

// reversal finds the payment of a held ticket that stands and returns the undo of its booking.
func (s *Service) reversal(ctx context.Context, tx pgx.Tx, h *held, u *undoing) (*ledger.Transaction, error) {
	payment, err := live(ctx, tx, h.ID)
	if err != nil {
		return nil, err
	}
	booked, err := s.Ledger.TransactionTx(ctx, tx, payment.TransactionID)
	if err != nil {
		return nil, err
	}
	if booked == nil {
		return nil, fmt.Errorf("payment %s has no booking to reverse", payment.ID)
	}
	payment.CancelledBy, payment.CancelledAt, payment.CancelReason = u.user, u.at, u.reason
	u.payment = *payment
	reversal := booked.Reverse(u.user, u.at)
	reversal.ID = u.id
	return &reversal, nil
}

// close files that the payment was taken back.
func (u *undoing) close(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `UPDATE paid_prizes SET cancelled_by = $2, cancelled_at = $3, cancel_transaction_id = $4, cancel_reason = $5 WHERE id = $1`,
		u.payment.ID, u.user, u.at, u.id, u.reason)
	if err != nil {
		return fmt.Errorf("file cancelled payment: %w", err)
	}
	return nil
}

// apply gives a ticket without a payment the state and the prize that its results make.
func (w *worth) apply(ctx context.Context, tx pgx.Tx, id uuid.UUID) (string, error) {
	status, prize := w.status(), w.Prize
	if !w.Decided {
		prize = 0
	}
	if _, err := tx.Exec(ctx, `UPDATE tickets SET status = $2, prize = $3 WHERE id = $1`, id, status, prize); err != nil {
		return "", fmt.Errorf("state of ticket: %w", err)
	}
	return status, nil
}
