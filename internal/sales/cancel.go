package sales

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/realtime"
	"banca/internal/risk"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// CancelRequest names the ticket to cancel.
type CancelRequest struct {
	TicketID       uuid.UUID
	IdempotencyKey string
}

// Cancelled is the answer to a cancellation.
type Cancelled struct {
	Ticket   Ticket
	Replayed bool
}

// Cancel reverses a sale. It writes a note of the counts to subtract to Redis; then changes the ticket, its postings,
// the idempotency key and the task for a new picture in one transaction; then updates the counts. No permission
// allows a cancellation after sales of one of the ticket's draws have stopped. Errors: tickets.ErrNotFound,
// ErrNotCancellable, ErrCancelTooLate, ErrDrawsStopped, ErrTooManyCancels, risk.ErrUnavailable, apperr.ErrStore, and
// errors of idempotency.
func (s *Service) Cancel(ctx context.Context, by caller.Caller, req *CancelRequest) (*Cancelled, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*s.Options.Timeout)
	defer cancel()
	t, err := s.loadInScope(ctx, by, req.TicketID)
	if err != nil {
		return nil, ledger.Refusal(err)
	}
	key, err := idempotency.KeyOf(t.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	defer s.keys.Lock(key)()
	use := idempotency.Use{Key: key, Meaning: idempotency.Of("cancel", req.TicketID.String())}
	after, replayed, err := idempotency.Once(ctx, s.PG.Pool, use, s.cancelledTicket, func() (*Ticket, error) {
		if err := s.cancelOnce(ctx, by, t, use); err != nil {
			return nil, err
		}
		after, err := s.load(ctx, t.ID)
		if err != nil { // the cancellation is committed, but its answer cannot be read
			return nil, idempotency.ErrUnknownOutcome.WithCause(err)
		}
		return after, nil
	})
	if err != nil {
		return nil, ledger.Refusal(err)
	}
	return &Cancelled{Ticket: *after, Replayed: replayed}, nil
}

// cancelledTicket returns the ticket of a cancellation that was answered before.
func (s *Service) cancelledTicket(ctx context.Context, first *idempotency.Answer) (*Ticket, error) {
	return s.load(ctx, first.TicketID)
}

// cancelOnce cancels a ticket. If counts were rebuilt between the note and the commit, it tries once more.
func (s *Service) cancelOnce(ctx context.Context, by caller.Caller, t *Ticket, use idempotency.Use) error {
	if err := s.mayCancel(by, t); err != nil {
		return err
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return ledger.Refusal(err)
	}
	err = s.cancelTicket(ctx, by, t, chain, use)
	if errors.Is(err, errRecounted) {
		err = s.cancelTicket(ctx, by, t, chain, use)
	}
	return err
}

// mayCancel checks the status and the time limit without a lock. The transaction checks them again under locks.
func (s *Service) mayCancel(by caller.Caller, t *Ticket) error {
	if t.Status != models.TicketPending {
		return ErrNotCancellable
	}
	if !by.May(auth.SalesCancelAny) && !s.Clock.Now().Before(t.CancelBefore) {
		return ErrCancelTooLate
	}
	return nil
}

// cancelTicket writes the note, commits the cancellation and applies the note to the counts.
func (s *Service) cancelTicket(
	ctx context.Context, by caller.Caller, t *Ticket, chain org.Chain, use idempotency.Use,
) error {
	lines := make([]risk.SoldLine, len(t.Lines))
	for i := range t.Lines {
		l := &t.Lines[i]
		lines[i] = risk.SoldLine{
			DrawID: l.DrawID, BetType: l.BetType, Selection: l.Selection, Stake: l.Amount, Prize: l.PotentialPrize,
		}
	}
	intent, err := s.Risk.BeginCancellation(ctx, uuid.Must(uuid.NewV7()), chain, t.Currency.Code, lines)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a noted cancellation is completed even if the client disconnects
	timed, cancel := context.WithTimeout(ctx, s.Options.Timeout)
	defer cancel()
	err = s.PG.Retried(timed, func(tx pgx.Tx) error { return s.cancelTx(timed, tx, by, t, chain, use, intent) })
	if err != nil {
		err = s.outcomeOf(ctx, intent, err)
	}
	switch {
	case err == nil:
		s.Wake()
		s.logUnfinished(t, s.Risk.Apply(ctx, intent))
		s.publishUpdated(ctx, t, models.TicketCancelled)
	case !errors.Is(err, idempotency.ErrUnknownOutcome): // the sweep decides about a note with an unknown outcome
		s.logUnfinished(t, s.Risk.Drop(ctx, intent))
	}
	return err
}

// publishUpdated publishes ticket.updated to the devices of the selling entity. The event has no image_url, because the
// picture shows the validation code: a client reads the ticket, and [Service.Get] decides whether it gets the address.
func (s *Service) publishUpdated(ctx context.Context, t *Ticket, status string) {
	s.Events.Publish(
		ctx, realtime.Entity(t.EntityID),
		realtime.EventOf(s.Clock.Now(), realtime.UpdatedTicket{TicketID: t.ID, Status: status}),
	)
}

// logUnfinished logs that the note of a cancellation could not be applied or dropped at once.
func (s *Service) logUnfinished(t *Ticket, err error) {
	if err != nil {
		s.Log.Warn("cancellation left to the sweep", slog.Any("ticket_id", t.ID), slog.Any("error", err))
	}
}

// outcomeOf returns the outcome of a transaction that ended with err. If err does not tell whether the cancellation was
// committed, outcomeOf asks Postgres, and returns nil if it was.
func (s *Service) outcomeOf(ctx context.Context, intent *risk.Cancellation, err error) error {
	refused := ledger.Refusal(err)
	if !errors.Is(refused, apperr.ErrStore) {
		return refused
	}
	switch posted, unknown := s.Ledger.Posted(ctx, intent.ID, lockDraws(slices.Collect(maps.Keys(intent.Epochs)))); {
	case unknown != nil:
		return idempotency.ErrUnknownOutcome.WithCause(err)
	case posted:
		return nil
	default:
		return refused
	}
}

func (s *Service) cancelTx(ctx context.Context, tx pgx.Tx, by caller.Caller, t *Ticket, chain org.Chain, use idempotency.Use, intent *risk.Cancellation) error {
	now, err := s.checkDraws(ctx, tx, intent)
	if err != nil {
		return err
	}
	if !by.May(auth.SalesCancelAny) && !now.Before(t.CancelBefore) {
		return ErrCancelTooLate
	}
	// No draw is suspended, so nothing was refunded.
	booked, err := s.Ledger.OfTicketTx(ctx, tx, t.ID, ledger.BookingIDs(t.ID))
	if err != nil {
		return err
	}
	wallet, err := lockTicket(ctx, tx, t.ID)
	if err != nil {
		return err
	}
	if !by.May(auth.SalesCancelAny) {
		if err := s.checkDailyCount(ctx, tx, t.EntityID, chain.CancelsPerDay(), now); err != nil {
			return err
		}
	}
	if len(booked) == 0 {
		return fmt.Errorf("ticket %s has no bookings to reverse", t.ID)
	}
	for i := range booked {
		booked[i] = booked[i].Reverse(by.UserID, now)
	}
	booked[0].ID = intent.ID // identifies this attempt for the sweep
	if err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{wallet}, booked...); err != nil {
		return err
	}
	if err := markCancelled(ctx, tx, t.ID, by.UserID, now); err != nil {
		return err
	}
	if t.paidByBank() {
		if err := tickets.ReleasePaymentsTx(ctx, tx, t.ID, now); err != nil {
			return err
		}
	}
	return use.StoreTx(ctx, tx, &idempotency.Answer{TicketID: t.ID})
}

// markCancelled sets the ticket's state and enqueues a new picture, because the old one stays readable by its address.
func markCancelled(ctx context.Context, tx pgx.Tx, ticket, user uuid.UUID, now time.Time) error {
	if err := tickets.CancelTx(ctx, tx, ticket, user, now); err != nil {
		return err
	}
	row, err := outbox.NewRow(tasks.ReceiptRender{TicketID: ticket}) // with an id of its own, not the sale's
	if err != nil {
		return err
	}
	return outbox.EnqueueTx(ctx, tx, row)
}

// checkDraws locks the draws shared and returns an error if sales of one have stopped, or if its counts were rebuilt
// since the note was written. It returns the database's time, at which the cancellation is decided.
func (s *Service) checkDraws(ctx context.Context, tx pgx.Tx, intent *risk.Cancellation) (now time.Time, err error) {
	draws := make([]uuid.UUID, 0, len(intent.Epochs))
	for d := range intent.Epochs {
		draws = append(draws, d)
	}
	if err := storage.ShareDraws(ctx, tx, draws); err != nil {
		return now, err
	}
	rows, err := tx.Query(ctx, readDraws, storage.UUIDs(draws))
	if err != nil {
		return now, err
	}
	var id uuid.UUID
	var d drawFact
	var databaseNow time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &d.Status, &d.Time, &d.SaleStopAt, &d.StopInherited, &d.epoch, &d.minRules, &databaseNow}, func() error {
		now = clock.DecisionTime(s.Clock, databaseNow).Truncate(time.Microsecond)
		switch {
		case !d.OpenAt(now):
			return ErrDrawsStopped
		case d.epoch != intent.Epochs[id]:
			return errStaleReservation
		}
		return nil
	})
	return now, err
}

// lockTicket locks the selling wallet, which serialises the cancellations of a ticket point, and then the ticket. It
// returns ErrNotCancellable unless the ticket is pending.
func lockTicket(ctx context.Context, tx pgx.Tx, id uuid.UUID) (wallet uuid.UUID, err error) {
	if err := tx.QueryRow(ctx, `SELECT id FROM wallets WHERE id = (SELECT wallet_id FROM tickets WHERE id = $1) FOR UPDATE`, id).Scan(&wallet); err != nil {
		return wallet, fmt.Errorf("lock wallet: %w", err)
	}
	var status string
	if err := tx.QueryRow(ctx, `SELECT status FROM tickets WHERE id = $1 FOR UPDATE`, id).Scan(&status); err != nil {
		return wallet, fmt.Errorf("lock ticket: %w", err)
	}
	if status != models.TicketPending {
		return wallet, ErrNotCancellable
	}
	return wallet, nil
}

func (s *Service) checkDailyCount(ctx context.Context, tx pgx.Tx, entity uuid.UUID, limit int, now time.Time) error {
	midnight, _ := businessday.Of(now, s.Options.Zone).Bounds(s.Options.Zone)
	// A wallet's lock serialises one currency only; the entity's lock serialises all.
	if _, err := tx.Exec(ctx, `SELECT 1 FROM entities WHERE id = $1 FOR NO KEY UPDATE`, entity); err != nil {
		return fmt.Errorf("lock entity: %w", err)
	}
	var n int
	err := tx.QueryRow(ctx, `SELECT count(*) FROM tickets WHERE entity_id = $1 AND cancelled_at >= $2 AND refunds = 0`, entity, midnight).Scan(&n)
	if err != nil {
		return fmt.Errorf("count cancellations: %w", err)
	}
	if n >= limit {
		return ErrTooManyCancels
	}
	return nil
}
