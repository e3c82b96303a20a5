package prizes

import (
	"context"
	"crypto/subtle"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/ratelimit"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// PayRequest asks to pay out the prize of a ticket.
type PayRequest struct {
	TicketID       uuid.UUID
	ValidationCode string
	IdempotencyKey string
}

// Paid is the answer to a payment.
type Paid struct {
	Payment  Payment
	Replayed bool // the answer to an earlier request with the same key
}

// Pay pays out the prize of a ticket, once. In this order: the ticket is in the caller's scope; a used key gets its
// first answer; the validation code is right, and not guessed; then, in one transaction and under the locks of hold,
// the ticket has a payable prize, its point's wallet is credited and the operator's debited, and the payment is
// written. A second payer finds the ticket paid.
//
// Errors: tickets.ErrNotFound, ErrWrongCode, ErrTooMany, ErrAttempts, ErrNotVerified, ErrDisputed, ErrNotWon,
// ErrCancelled, ErrAlreadyPaid, ErrExpired, apperr.ErrStore, and errors of idempotency.
func (s *Service) Pay(ctx context.Context, by caller.Caller, req *PayRequest) (*Paid, error) {
	ctx, cancel := context.WithTimeout(ctx, payTimeout)
	defer cancel()
	t, err := s.visible(ctx, by, req.TicketID)
	if err != nil {
		return nil, translate(err)
	}
	key, err := idempotency.KeyOf(t.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	use := idempotency.Use{Key: key, Meaning: idempotency.Of("pay", t.ID.String(), req.ValidationCode)}
	payment, replayed, err := idempotency.Once(ctx, s.PG.Pool, use, s.asPaid, func() (*Payment, error) {
		if err := s.checkCode(ctx, by, t, req.ValidationCode); err != nil {
			return nil, err
		}
		return s.payOnce(ctx, by, t, use)
	})
	if err != nil {
		return nil, translate(err)
	}
	if !replayed {
		s.updated(ctx, t.ID, t.EntityID, models.TicketPaid)
	}
	return &Paid{Payment: *payment, Replayed: replayed}, nil
}

// asPaid returns the payment of a stored answer as it was first answered, also if it was cancelled since.
func (s *Service) asPaid(ctx context.Context, first *idempotency.Answer) (*Payment, error) {
	p, err := s.answered(ctx, first)
	if err != nil {
		return nil, err
	}
	p.CancelledBy, p.CancelledAt, p.CancelReason = uuid.Nil, time.Time{}, ""
	return p, nil
}

// Bounds of wrong validation codes, of which there are a million.
const (
	ticketCallerGuesses = 5  // of one ticket by one user
	callerGuesses       = 20 // of one user over all tickets
	ticketGuesses       = 30 // of one ticket by all users
	guessWindow         = 15 * time.Minute
)

// checkCode compares the code in constant time and counts a wrong one for the ticket and the caller, for the caller
// and for the ticket.
func (s *Service) checkCode(ctx context.Context, by caller.Caller, t *ticket, code string) error {
	right := subtle.ConstantTimeCompare([]byte(t.Code), []byte(code)) == 1
	wait, left, err := s.Guesses.Judge(ctx, right,
		ratelimit.Subject{Key: "prizes:guesses:ticket:" + t.ID.String() + ":user:" + by.UserID.String(), Wrong: ticketCallerGuesses, Window: guessWindow},
		ratelimit.Subject{Key: "prizes:guesses:user:" + by.UserID.String(), Wrong: callerGuesses, Window: guessWindow},
		ratelimit.Subject{Key: "prizes:guesses:ticket:" + t.ID.String(), Wrong: ticketGuesses, Window: guessWindow})
	switch {
	case err != nil:
		return ErrAttempts.WithCause(err)
	case wait > 0:
		return ErrTooMany.WithRetryAfter(wait)
	case !right:
		return ErrWrongCode.WithDetails(apperr.Line("ATTEMPTS_LEFT", "attempts left: "+strconv.Itoa(left), "left", strconv.Itoa(left)).At("body.validation_code"))
	default:
		return nil
	}
}

// payOnce makes one attempt.
func (s *Service) payOnce(ctx context.Context, by caller.Caller, t *ticket, use idempotency.Use) (*Payment, error) {
	currency, err := s.Ledger.AnyCurrency(ctx, t.CurrencyID.String())
	if err != nil {
		return nil, translate(err)
	}
	root, err := s.rootWallet(ctx, t.CurrencyID)
	if err != nil {
		return nil, translate(err)
	}
	p := &Payment{ID: uuid.Must(uuid.NewV7()), TransactionID: uuid.Must(uuid.NewV7()), Serial: t.Serial, Currency: currency, PaidBy: by.UserID}
	ctx = context.WithoutCancel(ctx) // from here on the caller's going away changes nothing
	timed, cancel := context.WithTimeout(ctx, payTimeout)
	defer cancel()
	err = s.PG.Retried(timed, func(tx pgx.Tx) error { return s.payTx(timed, tx, t.ID, root, p, use) })
	if err != nil {
		err = s.outcomeOf(ctx, t.ID, p.TransactionID, err)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (s *Service) rootWallet(ctx context.Context, currency uuid.UUID) (uuid.UUID, error) {
	root, err := s.Org.Root(ctx)
	if err != nil {
		return uuid.Nil, err
	}
	wallets, err := s.Ledger.MainWallets(ctx, currency, root)
	if err != nil {
		return uuid.Nil, err
	}
	return wallets[0], nil
}

func (s *Service) payTx(ctx context.Context, tx pgx.Tx, id, root uuid.UUID, p *Payment, use idempotency.Use) error {
	h, err := hold(ctx, tx, id)
	if err != nil {
		return err
	}
	// after the locks, because waiting for them counts too
	if p.PaidAt, err = storage.DecisionTime(ctx, tx, s.Clock); err != nil {
		return err
	}
	if err := h.payable(ctx, tx, p.PaidAt, s.Zone); err != nil {
		return err
	}
	p.TicketID, p.EntityID, p.WalletID, p.Amount = h.ID, h.EntityID, h.WalletID, h.Prize
	if err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{h.WalletID}, p.transaction(root)); err != nil {
		return err
	}
	if err := p.insert(ctx, tx); err != nil {
		return err
	}
	if err := tickets.PayTx(ctx, tx, h.ID); err != nil {
		return err
	}
	if err := use.StoreTx(ctx, tx, paymentAnswer(h.ID, p.ID)); err != nil {
		return err
	}
	return s.record(ctx, tx, activity.PrizesPay, &h.ticket, map[string]any{
		"serial_code": h.Serial, "amount": p.Amount.Format(p.Currency.Digits), "currency": p.Currency.Code,
	})
}

// transaction books a payment: the ticket point hands out cash, so its wallet is credited and the operator's debited.
func (p *Payment) transaction(root uuid.UUID) ledger.Transaction {
	return ledger.Transaction{
		ID: p.TransactionID, Type: models.TransactionPrize, EntityID: p.EntityID, CurrencyID: p.Currency.ID,
		Amount:   p.Amount,
		TicketID: p.TicketID, UserID: p.PaidBy, At: p.PaidAt,
		Postings: []ledger.Posting{{WalletID: p.WalletID, Amount: p.Amount}, {WalletID: root, Amount: -p.Amount}},
	}
}

// outcomeOf returns the outcome of a failed transaction: nil if it was committed although its commit was not
// answered, and ErrUnknownOutcome if Postgres cannot tell now. A transaction that is still running holds the ticket's
// lock.
func (s *Service) outcomeOf(ctx context.Context, id, transaction uuid.UUID, failure error) error {
	refused := translate(failure)
	if !errors.Is(refused, apperr.ErrStore) {
		return refused
	}
	posted, err := s.Ledger.Posted(ctx, transaction, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT 1 FROM tickets WHERE id = $1 FOR UPDATE`, id)
		return err
	})
	switch {
	case err != nil:
		return idempotency.ErrUnknownOutcome.WithCause(failure)
	case posted:
		return nil
	default:
		return refused
	}
}

// record adds an entry about a ticket's prize to the activity log, as the last statement of its transaction.
func (s *Service) record(
	ctx context.Context, tx pgx.Tx, action activity.Action, t *ticket, details map[string]any,
) error {
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: t.EntityID, Target: t.ID.String(), Details: details,
	})
}
