package prizes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// ticket is the part of a ticket that payments read.
type ticket struct {
	ID         uuid.UUID
	EntityID   uuid.UUID
	WalletID   uuid.UUID
	CurrencyID uuid.UUID
	Serial     string
	Code       string
	Status     string
	Prize      money.Amount
	ExpiresAt  time.Time
	Expired    bool // the task has marked it
}

const ticketColumns = `t.id, t.entity_id, t.wallet_id, t.currency_id, t.serial_code, t.validation_code, t.status, t.prize, t.expires_at, t.expired_at IS NOT NULL`

func one[T any](ctx context.Context, q storage.Querier, none error, sql string, args ...any) (*T, error) {
	return storage.One(ctx, q, "read ticket", none, pgx.RowToStructByPos[T], sql, args...)
}

// visible reads a ticket of the caller's subtree. Errors: tickets.ErrNotFound, months.ErrArchived.
func (s *Service) visible(ctx context.Context, by caller.Caller, id uuid.UUID) (*ticket, error) {
	t, err := one[ticket](ctx, s.PG.Pool, tickets.ErrNotFound, `SELECT `+ticketColumns+` FROM tickets t JOIN entities e ON e.id = t.entity_id
		WHERE t.id = $1 AND e.path LIKE $2`, id, by.Scope.Pattern())
	if errors.Is(err, tickets.ErrNotFound) {
		err = s.absent(ctx, id)
	}
	return t, err
}

// absent returns why a ticket is not in the tables, or not in the caller's subtree: equal for all ids of a month.
// Errors: tickets.ErrNotFound, months.ErrArchived.
func (s *Service) absent(ctx context.Context, id uuid.UUID) error {
	if archived := months.RequireKeptID(ctx, s.PG.Pool, id); archived != nil {
		return archived
	}
	return tickets.ErrNotFound
}

// drawsOfTicket are the draws that decide a ticket: the draws of its lines and of its window bets.
const drawsOfTicket = `SELECT draw_id FROM ticket_lines WHERE ticket_id = $1
	UNION SELECT d.id FROM window_bets b CROSS JOIN LATERAL (
		SELECT id FROM draws WHERE game_id = b.game_id AND draw_time >= b.draw_time AND status <> 'suspended' ORDER BY draw_time, id LIMIT b.draws
	) d WHERE b.ticket_id = $1`

// held is a ticket that nothing else changes until the transaction ends, with the draws that decide it.
type held struct {
	ticket
	draws []uuid.UUID
}

// hold takes the locks of every change of a prize, in the declared order: the draws' shared, so that no settlement
// and no correction runs meanwhile, then the wallet, then the ticket. Errors: months.ErrArchived.
func hold(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*held, error) {
	if err := months.RequireKeptID(ctx, tx, id); err != nil {
		return nil, err
	}
	draws, err := storage.Collect(ctx, tx, "draws of ticket", pgx.RowTo[uuid.UUID], drawsOfTicket, id)
	if err != nil {
		return nil, err
	}
	h := &held{draws: draws}
	if err := storage.ShareDraws(ctx, tx, h.draws); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM wallets WHERE id = (SELECT wallet_id FROM tickets WHERE id = $1) FOR UPDATE`, id); err != nil {
		return nil, fmt.Errorf("lock wallet: %w", err)
	}
	t, err := one[ticket](
		ctx, tx, tickets.ErrNotFound, `SELECT `+ticketColumns+` FROM tickets t WHERE t.id = $1 FOR UPDATE`, id,
	)
	if err != nil {
		return nil, fmt.Errorf("lock ticket: %w", err)
	}
	h.ticket = *t
	return h, nil
}

// payable returns why the prize of a ticket cannot be paid now, or nil. zone is that of the times of draws.
func (h *held) payable(ctx context.Context, tx pgx.Tx, now time.Time, zone *time.Location) error {
	switch h.Status {
	case models.TicketPending:
		return waits(ctx, tx, h.ID, zone)
	case models.TicketLost:
		return ErrNotWon
	case models.TicketCancelled:
		return ErrCancelled
	case models.TicketPaid:
		return ErrAlreadyPaid
	}
	if h.Expired || !now.Before(h.ExpiresAt) {
		return ErrExpired
	}
	if err := h.undisputed(ctx, tx); err != nil {
		return err
	}
	return h.uncollected(ctx, tx)
}

// uncollected refuses while the point is owed the prize because an earlier payment was collected.
func (h *held) uncollected(ctx context.Context, tx pgx.Tx) error {
	var open bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM prize_differences WHERE ticket_id = $1 AND status = 'open')`, h.ID).Scan(&open); err != nil {
		return fmt.Errorf("open difference: %w", err)
	}
	if open {
		return ErrCollected
	}
	return nil
}

// undisputed refuses while a correction of one of the ticket's results awaits a second person.
func (h *held) undisputed(ctx context.Context, tx pgx.Tx) error {
	var disputed bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM results WHERE draw_id = ANY ($1::uuid[]) AND status = $2 AND supersedes IS NOT NULL)`,
		storage.UUIDs(h.draws), models.ResultProposed).Scan(&disputed)
	if err != nil {
		return fmt.Errorf("disputed results: %w", err)
	}
	if disputed {
		return ErrDisputed
	}
	return nil
}

// waits names the draws that a ticket still waits for by their games and times.
func waits(ctx context.Context, tx pgx.Tx, id uuid.UUID, zone *time.Location) error {
	names, err := storage.Collect(ctx, tx, "draws that a ticket waits for", pgx.RowTo[string],
		`SELECT g.name || to_char(d.draw_time AT TIME ZONE $2, ' FMHH12:MI am, FMDD/FMMM') FROM draws d JOIN games g ON g.id = d.game_id
		WHERE d.id IN (`+drawsOfTicket+`) AND d.status NOT IN ('settled', 'suspended') ORDER BY d.draw_time, d.id`, id, zone.String())
	if err != nil {
		return err
	}
	details := make([]apperr.Detail, len(names))
	for i, name := range names {
		details[i] = apperr.Detail{Location: "path.ticket_id", Message: apperr.Messagef("waits for the draw %s", name)}
	}
	return ErrNotVerified.WithDetails(details...)
}

// entitlement is the state of a ticket by its results alone, whatever was paid.
type entitlement struct {
	Decided bool
	Prize   money.Amount
}

func entitlementOf(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*entitlement, error) {
	w, err := one[entitlement](ctx, tx, tickets.ErrNotFound, `SELECT
		(SELECT bool_and(d.status IN ('settled', 'suspended')) FROM ticket_lines i JOIN draws d ON d.id = i.draw_id WHERE i.ticket_id = $1)
			AND NOT EXISTS (SELECT 1 FROM window_bets WHERE ticket_id = $1 AND state = 'pending'),
		coalesce((SELECT sum(prize) FROM winning_lines WHERE ticket_id = $1 AND annulled_at IS NULL), 0)::bigint`, id)
	if err != nil {
		return nil, fmt.Errorf("entitlement of ticket: %w", err)
	}
	return w, nil
}
