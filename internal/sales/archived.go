package sales

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/models"
)

// loadArchived reads a ticket of an archived month with its lines, in any scope. Errors: ErrTicketNotFound.
func (s *Service) loadArchived(ctx context.Context, id uuid.UUID) (*Ticket, error) {
	if s.Archive == nil {
		return nil, ErrTicketNotFound
	}
	found, err := s.Archive.Ticket(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	if found == nil {
		return nil, ErrTicketNotFound
	}
	// Postgres reads the rows as it wrote them, so that no other code knows their types.
	db := s.PG.Gorm.WithContext(ctx)
	var row models.Ticket
	if err := db.Raw(`SELECT * FROM jsonb_populate_record(NULL::tickets, ?::text::jsonb)`, string(found.Row)).Scan(&row).Error; err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	var items []itemRow
	lines := "[" + string(bytes.Join(found.Lines, []byte{','})) + "]"
	err = db.Raw(`SELECT i.*, d.draw_number, d.draw_time FROM jsonb_populate_recordset(NULL::ticket_lines, ?::text::jsonb) i JOIN draws d ON d.id = i.draw_id
		ORDER BY i.line_no`, lines).Scan(&items).Error
	if err != nil {
		return nil, fmt.Errorf("archived lines: %w", err)
	}
	currency, err := s.Ledger.AnyCurrency(ctx, row.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	list := []Ticket{ticketOf(&row, currency)}
	return &list[0], s.addLines(ctx, list, map[uuid.UUID]int{row.ID: 0}, items)
}

// findArchived reads a ticket of an archived month by its serial code. Errors: ErrTicketNotFound.
func (s *Service) findArchived(ctx context.Context, serial string) (*Ticket, error) {
	if s.Archive == nil || !ValidSerial(serial) {
		return nil, ErrTicketNotFound
	}
	id, err := s.Archive.BySerial(ctx, serial, func(sold time.Time) bool { return monthCharacter(sold) == serial[0] })
	if err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	if id == uuid.Nil {
		return nil, ErrTicketNotFound
	}
	return s.loadArchived(ctx, id)
}

// listArchived returns the ticket of a filter with a serial code, if it is in the archive and in the caller's scope.
func (s *Service) listArchived(ctx context.Context, by caller.Caller, f *Filter) ([]Ticket, error) {
	t, err := s.findArchived(ctx, f.Serial)
	if errors.Is(err, ErrTicketNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	visible, err := s.Org.InScope(ctx, by, t.EntityID)
	if err != nil || !visible || f.Offset > 0 || f.Status != "" && f.Status != t.Status || f.EntityID != uuid.Nil && f.EntityID != t.EntityID {
		return nil, err
	}
	return []Ticket{*t}, nil
}
