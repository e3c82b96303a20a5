package prizes

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/tickets"
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
	Reason         string
	IdempotencyKey string
}

// Cancelled is the answer to taking a payment back.
type Cancelled struct {
	Payment  Payment
	Status   string // of the ticket now
	Replayed bool
}

// Cancel reverses the payment of a ticket: its booking is reversed, which the point's wallet must cover, the ticket
// returns to the state of its results, and a difference of the payment is void. The time to collect the prize is
// unchanged. Errors: tickets.ErrNotFound, ErrNotPaid, ErrTextTooLong, ledger.ErrInsufficientBalance,
// apperr.ErrStore, and errors of idempotency.
func (s *Service) Cancel(ctx context.Context, by caller.Caller, req *CancelRequest) (*Cancelled, error) {
	ctx, cancel := context.WithTimeout(ctx, payTimeout)
	defer cancel()
	reason, err := checkText(req.Reason)
	if err != nil {
		return nil, err
	}
	t, err := s.visible(ctx, by, req.TicketID)
	if err != nil {
		return nil, translate(err)
	}
	key, err := idempotency.KeyOf(t.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	use := idempotency.Use{Key: key, Meaning: idempotency.Of("unpay", t.ID.String(), reason)}
	done, replayed, err := idempotency.Once(ctx, s.PG.Pool, use, s.cancelledBefore, func() (*Cancelled, error) {
		return s.cancelOnce(ctx, t, &reversal{user: by.UserID, reason: reason, id: uuid.Must(uuid.NewV7())}, use)
	})
	if err != nil {
		return nil, translate(err)
	}
	if done.Replayed = replayed; !replayed {
		s.updated(context.WithoutCancel(ctx), t.ID, t.EntityID, done.Status)
	}
	return done, nil
}

func (s *Service) cancelOnce(ctx context.Context, t *ticket, r *reversal, use idempotency.Use) (*Cancelled, error) {
	ctx = context.WithoutCancel(ctx)
	timed, end := context.WithTimeout(ctx, payTimeout)
	defer end()
	err := s.PG.Retried(timed, func(tx pgx.Tx) error { return s.cancelTx(timed, tx, t.ID, r, use) })
	if err != nil {
		err = s.outcomeOf(ctx, t.ID, r.id, err)
	}
	return &Cancelled{Payment: r.payment, Status: r.status}, err
}

// cancelledBefore returns the payment of a stored answer as it was taken back.
func (s *Service) cancelledBefore(ctx context.Context, first *idempotency.Answer) (*Cancelled, error) {
	p, err := s.answered(ctx, first)
	if err != nil {
		return nil, err
	}
	t, err := one[ticket](
		ctx, s.PG.Pool, tickets.ErrNotFound, `SELECT `+ticketColumns+` FROM tickets t WHERE t.id = $1`, p.TicketID,
	)
	if err != nil {
		return nil, err
	}
	return &Cancelled{Payment: *p, Status: t.Status}, nil
}

// reversal is a payment being taken back.
type reversal struct {
	user    uuid.UUID
	reason  string
	id      uuid.UUID // of the reversal
	at      time.Time
	payment Payment
	status  string // of the ticket afterwards
}

func (s *Service) cancelTx(ctx context.Context, tx pgx.Tx, id uuid.UUID, r *reversal, use idempotency.Use) error {
	h, err := hold(ctx, tx, id)
	if err != nil {
		return err
	}
	if h.Status != models.TicketPaid {
		return ErrNotPaid
	}
	r.at = s.Clock.Now().Truncate(time.Microsecond)
	booking, err := s.reverse(ctx, tx, h, r)
	if err != nil {
		return err
	}
	if err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{h.WalletID}, *booking); err != nil {
		return err
	}
	if err := r.close(ctx, tx); err != nil {
		return err
	}
	w, err := entitlementOf(ctx, tx, id)
	if err != nil {
		return err
	}
	if r.status, err = tickets.UnpayTx(ctx, tx, id, w.Decided, w.Prize); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE prize_differences SET status = 'void', closed_at = $2, closed_by = $3, note = 'payment cancelled'
		WHERE ticket_id = $1 AND status = 'open'`, id, r.at, r.user)
	if err != nil {
		return fmt.Errorf("void difference: %w", err)
	}
	if err := use.StoreTx(ctx, tx, paymentAnswer(id, r.payment.ID)); err != nil {
		return err
	}
	return s.record(ctx, tx, activity.PrizesCancel, &h.ticket, map[string]any{
		"serial_code": h.Serial, "amount": r.payment.Amount.Format(r.payment.Currency.Digits),
		"currency": r.payment.Currency.Code, "reason": r.reason,
	})
}

// reverse finds the payment of a held ticket that stands and returns the reversal of its booking.
func (s *Service) reverse(ctx context.Context, tx pgx.Tx, h *held, r *reversal) (*ledger.Transaction, error) {
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
	payment.CancelledBy, payment.CancelledAt, payment.CancelReason = r.user, r.at, r.reason
	r.payment = *payment
	booking := booked.Reverse(r.user, r.at)
	booking.ID = r.id
	return &booking, nil
}

// close files that the payment was taken back.
func (r *reversal) close(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `UPDATE paid_prizes SET cancelled_by = $2, cancelled_at = $3, cancel_transaction_id = $4, cancel_reason = $5 WHERE id = $1`,
		r.payment.ID, r.user, r.at, r.id, r.reason)
	if err != nil {
		return fmt.Errorf("file cancelled payment: %w", err)
	}
	return nil
}
