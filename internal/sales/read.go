package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/customers"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// view returns the ticket for the answer to its sale.
func (p *pendingSale) view() Ticket {
	t := ticketOf(&p.ticket, p.quote.currency)
	t.Lines = make([]Line, len(p.quote.lines))
	for i := range p.quote.lines {
		t.Lines[i] = p.quote.lines[i].Line
		t.Lines[i].Number = i
	}
	t.Payments = p.quote.payments
	return t
}

func ticketOf(row *models.Ticket, currency ledger.Currency) Ticket {
	t := Ticket{
		ID: row.ID, SerialCode: row.SerialCode, ValidationCode: row.ValidationCode,
		EntityID: row.EntityID, UserID: row.UserID, Currency: currency, Status: row.Status,
		Total: money.Amount(row.Total), PotentialPrize: money.Amount(row.PotentialPrize),
		WantsPaymentInfo: row.WantsPaymentInfo,
		Prize:            money.Amount(row.Prize),
		CancelBefore:     row.CancelBefore.UTC(), ExpiresAt: row.ExpiresAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
	if row.CustomerID != nil {
		t.CustomerID = *row.CustomerID
	}
	if row.ImageURL != nil {
		t.ImageURL = *row.ImageURL
	}
	if row.CancelledAt != nil {
		t.CancelledAt = row.CancelledAt.UTC()
	}
	return t
}

// Get returns a ticket in the caller's scope with its lines, without the secrets that the caller may not see.
// Showing the secrets of another entity's ticket is recorded in the activity log. Errors: tickets.ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Ticket, error) {
	t, err := s.loadInScope(ctx, by, id)
	if err != nil {
		return nil, err
	}
	return t, s.reveal(ctx, by, t)
}

// Find returns a ticket in the caller's scope with its lines, with the secrets of the caller's own tickets only, as
// in a list. Errors: tickets.ErrNotFound.
func (s *Service) Find(ctx context.Context, by caller.Caller, id uuid.UUID) (*Ticket, error) {
	t, err := s.loadInScope(ctx, by, id)
	if err != nil {
		return nil, err
	}
	Redact(by, t)
	return t, nil
}

// Serials returns the serial codes of tickets in the caller's scope by their ids. It leaves archived tickets out.
func (s *Service) Serials(ctx context.Context, by caller.Caller, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	serials := make(map[uuid.UUID]string, len(ids))
	var id uuid.UUID
	var serial string
	err := storage.Each(ctx, s.PG.Pool, "read serial codes", []any{&id, &serial}, func() error {
		serials[id] = serial
		return nil
	}, `SELECT t.id, t.serial_code FROM tickets t JOIN entities e ON e.id = t.entity_id WHERE t.id = ANY($1) AND e.path LIKE $2`,
		storage.UUIDs(ids), by.Scope.Pattern())
	return serials, err
}

// loadInScope reads one ticket in the caller's scope with its lines and payments. Errors: tickets.ErrNotFound.
func (s *Service) loadInScope(ctx context.Context, by caller.Caller, id uuid.UUID) (*Ticket, error) {
	t, err := s.load(ctx, id)
	if err != nil {
		return nil, err
	}
	visible, err := s.Org.InScope(ctx, by, t.EntityID)
	if err != nil {
		return nil, err
	}
	if !visible {
		return nil, tickets.ErrNotFound
	}
	return t, nil
}

// StatusOf returns the state of a ticket by its serial code, for the public. Errors: tickets.ErrNotFound.
func (s *Service) StatusOf(ctx context.Context, serial string) (string, error) {
	if !ValidSerial(serial) {
		return "", tickets.ErrNotFound
	}
	var statuses []string
	if err := s.PG.Gorm.WithContext(ctx).Model(&models.Ticket{}).Where("serial_code = ?", serial).Limit(1).Pluck("status", &statuses).Error; err != nil {
		return "", fmt.Errorf("status of ticket: %w", err)
	}
	if len(statuses) > 0 {
		return statuses[0], nil
	}
	t, err := s.findArchived(ctx, serial)
	if err != nil {
		return "", err
	}
	return t.Status, nil
}

// load reads one ticket with its lines and payments, in any scope, in the tables or in the archive. Errors: tickets.ErrNotFound.
func (s *Service) load(ctx context.Context, id uuid.UUID) (*Ticket, error) {
	list, err := s.ticketsByID(ctx, s.PG.Pool, storage.UUIDs{id})
	if err != nil {
		return nil, err
	}
	var t *Ticket
	if len(list) > 0 {
		t = &list[0]
	} else if t, err = s.loadArchived(ctx, id); err != nil {
		return nil, err
	}
	return t, s.withPayments(ctx, t)
}

// itemRow is a line with its draw.
type itemRow struct {
	models.TicketItem
	DrawNumber string
	DrawTime   time.Time
}

const (
	// ticketColumns are the columns of models.Ticket. path_id is NULL in tickets of release 0.2.
	ticketColumns = `id, serial_code, validation_code, entity_id, coalesce(path_id, 0) AS path_id, user_id, wallet_id, currency_id, customer_id, status,
		total, potential_prize, wants_payment_info, image_url, cancel_before, expires_at, cancelled_at, cancelled_by, prize, settled_at, expired_at, refunded,
		refunds, created_at`
	ticketsSQL = `SELECT ` + ticketColumns + ` FROM tickets WHERE id = ANY($1)`
	linesSQL   = `SELECT i.ticket_id, i.line_no, i.draw_id, i.game_id, i.bet_type, i.selection, i.amount, i.payout, i.potential_prize, d.draw_number, d.draw_time
		FROM ticket_lines i JOIN draws d ON d.id = i.draw_id WHERE i.ticket_id = ANY($1) ORDER BY i.ticket_id, i.line_no`
)

// ticketsByID reads tickets with their lines, in any order, in one round trip. It omits those that are not in the tables.
func (s *Service) ticketsByID(ctx context.Context, pool *pgxpool.Pool, ids storage.UUIDs) ([]Ticket, error) {
	var rows []models.Ticket
	var items []itemRow
	b := &pgx.Batch{}
	collect(b.Queue(ticketsSQL, ids), &rows)
	collect(b.Queue(linesSQL, ids), &items)
	if err := pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	return s.ticketsOf(ctx, rows, items)
}

// collect reads the rows of a queued statement into list.
func collect[T any](q *pgx.QueuedQuery, list *[]T) {
	q.Query(func(rows pgx.Rows) (err error) {
		*list, err = pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
		return err
	})
}

// readAll returns the rows of a statement with one argument.
func readAll[T any](ctx context.Context, q storage.Querier, sql string, arg any) ([]T, error) {
	rows, err := q.Query(ctx, sql, arg)
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
	if err != nil {
		return nil, fmt.Errorf("read tickets: %w", err)
	}
	return list, nil
}

// withLines reads the lines of ticket rows.
func (s *Service) withLines(ctx context.Context, rows []models.Ticket) ([]Ticket, error) {
	ids := make(storage.UUIDs, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	items, err := readAll[itemRow](ctx, s.PG.Pool, linesSQL, ids)
	if err != nil {
		return nil, err
	}
	return s.ticketsOf(ctx, rows, items)
}

// ticketsOf returns the tickets of rows, in their order, with their lines, games and currencies.
func (s *Service) ticketsOf(ctx context.Context, rows []models.Ticket, items []itemRow) ([]Ticket, error) {
	list, index := make([]Ticket, len(rows)), make(map[uuid.UUID]int, len(rows))
	for i := range rows {
		currency, err := s.Ledger.AnyCurrency(ctx, rows[i].CurrencyID.String())
		if err != nil {
			return nil, err
		}
		list[i], index[rows[i].ID] = ticketOf(&rows[i], currency), i
	}
	for i := range items {
		line, err := s.lineOf(ctx, &items[i])
		if err != nil {
			return nil, err
		}
		t := &list[index[items[i].TicketID]]
		t.Lines = append(t.Lines, line)
	}
	return list, nil
}

func (s *Service) lineOf(ctx context.Context, row *itemRow) (Line, error) {
	game, err := s.Catalog.Game(ctx, row.GameID)
	if err != nil {
		return Line{}, err
	}
	return Line{
		DrawID: row.DrawID, DrawNumber: row.DrawNumber, DrawTime: row.DrawTime.UTC(),
		GameID: game.ID, GameName: game.Name, GameCode: game.ShortCode,
		BetType: row.BetType, Selection: row.Selection, Name: game.NameOf(row.Selection),
		Amount: money.Amount(row.Amount), Payout: money.Payout(row.Payout),
		PotentialPrize: money.Amount(row.PotentialPrize), Number: row.LineNo,
	}, nil
}

// resolveCustomer returns the id of a customer of the selling entity, or of the one that it is merged into. Errors:
// ErrCustomerNotFound.
func (s *Service) resolveCustomer(ctx context.Context, id, entity uuid.UUID) (uuid.UUID, error) {
	kept, err := customers.Resolve(ctx, s.PG.Pool, id, entity)
	switch {
	case errors.Is(err, customers.ErrNotFound):
		return uuid.Nil, ErrCustomerNotFound
	case err != nil:
		return uuid.Nil, apperr.ErrStore.WithCause(err)
	}
	return kept, nil
}
