package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/customers"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/tickets"
	"banca/models"
)

// view returns the ticket for the answer to its sale.
func (p *pendingSale) view() Ticket {
	t := ticketOf(&p.ticket, p.quote.currency)
	t.Lines = make([]Line, len(p.quote.lines))
	for i := range p.quote.lines {
		t.Lines[i] = p.quote.lines[i].Line
	}
	return t
}

func ticketOf(row *models.Ticket, currency ledger.Currency) Ticket {
	t := Ticket{
		ID: row.ID, SerialCode: row.SerialCode, ValidationCode: row.ValidationCode,
		EntityID: row.EntityID, UserID: row.UserID, Currency: currency, Status: row.Status,
		Total: money.Amount(row.Total), PotentialPrize: money.Amount(row.PotentialPrize),
		WantsPaymentInfo: row.WantsPaymentInfo,
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

// loadInScope reads one ticket in the caller's scope with its lines. Errors: tickets.ErrNotFound.
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

// load reads one ticket with its lines, in any scope, in the tables or in the archive. Errors: tickets.ErrNotFound.
func (s *Service) load(ctx context.Context, id uuid.UUID) (*Ticket, error) {
	var row models.Ticket
	err := s.PG.Gorm.WithContext(ctx).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return s.loadArchived(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("load ticket: %w", err)
	}
	list, err := s.withLines(ctx, []models.Ticket{row})
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// itemRow is a line with its draw.
type itemRow struct {
	models.TicketItem
	DrawNumber string
	DrawTime   time.Time
}

// withLines adds lines, draws, games and currencies to ticket rows. One query reads all lines.
func (s *Service) withLines(ctx context.Context, rows []models.Ticket) ([]Ticket, error) {
	list, index, err := s.ticketsOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	var items []itemRow
	err = s.PG.Gorm.WithContext(ctx).Table("ticket_lines i").Select("i.*, d.draw_number, d.draw_time").
		Joins("JOIN draws d ON d.id = i.draw_id").Where("i.ticket_id IN ?", ids).Order("i.ticket_id, i.line_no").Scan(&items).Error
	if err != nil {
		return nil, fmt.Errorf("load lines: %w", err)
	}
	return list, s.addLines(ctx, list, index, items)
}

// ticketsOf returns the tickets of rows, without lines, and the place of each by its id.
func (s *Service) ticketsOf(ctx context.Context, rows []models.Ticket) ([]Ticket, map[uuid.UUID]int, error) {
	list, index := make([]Ticket, len(rows)), make(map[uuid.UUID]int, len(rows))
	for i := range rows {
		currency, err := s.Ledger.AnyCurrency(ctx, rows[i].CurrencyID.String())
		if err != nil {
			return nil, nil, err
		}
		list[i], index[rows[i].ID] = ticketOf(&rows[i], currency), i
	}
	return list, index, nil
}

// addLines adds lines to the tickets of a list, whose places an index has.
func (s *Service) addLines(ctx context.Context, list []Ticket, index map[uuid.UUID]int, items []itemRow) error {
	for i := range items {
		line, err := s.lineOf(ctx, &items[i])
		if err != nil {
			return err
		}
		t := &list[index[items[i].TicketID]]
		t.Lines = append(t.Lines, line)
	}
	return nil
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
		PotentialPrize: money.Amount(row.PotentialPrize),
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
