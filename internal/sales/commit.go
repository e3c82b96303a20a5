package sales

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/groupcommit"
	"banca/internal/platform/idempotency"
	"banca/internal/risk"
	"banca/models"
	"banca/storage"
	"banca/tasks/outbox"
)

// defaultTimeout is the default of Options.Timeout.
const defaultTimeout = 5 * time.Second

// groupLimits bound how sales share transactions. Measured: docs/measurements/2026-11.md.
func groupLimits() groupcommit.Limits {
	return groupcommit.Limits{
		GroupFrom: 3, Batchers: 2, BatchSize: 64, QueueSize: 1024, Attempts: 2,
		BatchShare: 3, MaxBatchWait: 5 * time.Millisecond,
	}
}

// pendingSale is a sale to commit, and its outcome afterwards.
type pendingSale struct {
	quote       *quote
	ticket      models.Ticket
	wallet      uuid.UUID
	money       []ledger.Transaction
	outbox      []outbox.Row // receipt.render, unless picture_at_sale is false and there is no customer
	reservation *risk.Reservation
	use         idempotency.Use
	cuts        []Cut

	result outcome
}

// outcome is the result of a pending sale. The zero outcome means that the sale was committed.
type outcome struct {
	err    error
	repeat *idempotency.Answer // the answer of an equal request that was committed before, instead of this one
}

// answer returns the data from which a repeat of the sale is answered: the ticket and its cuts.
func (p *pendingSale) answer() *idempotency.Answer {
	return &idempotency.Answer{Meaning: p.use.Meaning[:], TicketID: p.ticket.ID, Response: encodeCuts(p.cuts)}
}

// newGroup returns the group in which sales are committed. Sales of one wallet go through one batcher.
func (s *Service) newGroup(limits groupcommit.Limits) groupcommit.Committer[*pendingSale] {
	return groupcommit.New(groupcommit.Store[*pendingSale]{
		Name:        "sales",
		Key:         func(p *pendingSale) uuid.UUID { return p.wallet },
		Write:       s.writeBatch,
		Retry:       func(err error) bool { return storage.ViolatedUnique(err) != "" }, // another process inserted the same customer or key; the next attempt reads it
		FindOutcome: s.findBatch,
		Finish:      s.finishBatch,
	}, limits, s.Clock)
}

// commit writes a sale and returns its outcome. It ignores the cancellation of ctx, because the reservation must be
// confirmed or released in any case; Options.Timeout bounds it.
func (s *Service) commit(ctx context.Context, p *pendingSale) outcome {
	if err := s.group.Commit(context.WithoutCancel(ctx), p); err != nil {
		s.releaseReservations(ctx, p.reservation)
		return outcome{err: ErrBusy.WithCause(err)}
	}
	return p.result
}

// findBatch reads the outcome of a transaction whose commit was not answered: it returns nil if the sales were
// written, apperr.ErrStore if they were not, and idempotency.ErrUnknownOutcome if Postgres cannot tell now.
func (s *Service) findBatch(ctx context.Context, batch []*pendingSale, unknown error) error {
	written := slices.IndexFunc(batch, func(p *pendingSale) bool { return p.result == (outcome{}) }) // any of them: they share the transaction
	draws, _, _ := idsOf(batch[written : written+1])
	posted, err := s.Ledger.Posted(ctx, batch[written].money[0].ID, lockDraws(draws))
	switch {
	case err != nil:
		return idempotency.ErrUnknownOutcome.WithCause(unknown)
	case posted:
		return nil
	default:
		return apperr.ErrStore.WithCause(unknown)
	}
}

// lockDraws returns a function that locks draws exclusively: it waits for transactions that hold them shared.
func lockDraws(draws []uuid.UUID) func(ctx context.Context, tx pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error { return storage.LockDraws(ctx, tx, draws) }
}

// finishBatch stores the outcomes of decided sales and confirms or releases their reservations.
func (s *Service) finishBatch(ctx context.Context, batch []*pendingSale, err error) {
	var refused []*risk.Reservation
	written := false
	for _, p := range batch {
		if p.result == (outcome{}) && err != nil {
			p.result.err = ledger.Refusal(err)
		}
		switch {
		case p.result == (outcome{}):
			written = true
			s.confirmer.add(p.reservation)
		case errors.Is(p.result.err, idempotency.ErrUnknownOutcome): // the sweep confirms or releases the reservation
			s.Log.Warn("sale with unknown outcome", slog.Any("ticket_id", p.ticket.ID), slog.Any("error", p.result.err))
		default:
			refused = append(refused, p.reservation)
		}
	}
	if written {
		s.Wake()
	}
	s.releaseReservations(ctx, refused...)
}
