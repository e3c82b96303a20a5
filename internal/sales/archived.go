package sales

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/tickets"
	"banca/models"
)

// loadArchived reads a ticket of an archived month with its lines, in any scope. Errors: tickets.ErrNotFound.
func (s *Service) loadArchived(ctx context.Context, id uuid.UUID) (*Ticket, error) {
	if s.Archive == nil {
		return nil, tickets.ErrNotFound
	}
	found, err := s.Archive.Ticket(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	if found == nil {
		return nil, tickets.ErrNotFound
	}
	// Postgres reads the rows as it wrote them, so that no other code knows their types.
	rows, err := readAll[models.Ticket](ctx, s.PG.Pool, `SELECT `+ticketColumns+` FROM jsonb_populate_recordset(NULL::tickets, $1::text::jsonb)`, arrayOf(found.Row))
	if err != nil {
		return nil, err
	}
	items, err := readAll[itemRow](ctx, s.PG.Pool, `SELECT i.*, d.draw_number, d.draw_time FROM jsonb_populate_recordset(NULL::ticket_lines, $1::text::jsonb) i
		JOIN draws d ON d.id = i.draw_id ORDER BY i.line_no`, arrayOf(found.Lines...))
	if err != nil {
		return nil, err
	}
	list, err := s.ticketsOf(ctx, rows, items)
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// arrayOf returns a JSON array of rows of the archive.
func arrayOf(rows ...[]byte) string { return "[" + string(bytes.Join(rows, []byte{','})) + "]" }

// findArchived reads a ticket of an archived month by its serial code. Errors: tickets.ErrNotFound.
func (s *Service) findArchived(ctx context.Context, serial string) (*Ticket, error) {
	if s.Archive == nil || !ValidSerial(serial) {
		return nil, tickets.ErrNotFound
	}
	id, err := s.Archive.BySerial(ctx, serial, func(sold time.Time) bool { return monthCharacter(sold) == serial[0] })
	if err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	if id == uuid.Nil {
		return nil, tickets.ErrNotFound
	}
	return s.loadArchived(ctx, id)
}

// listArchived returns the ticket of a filter with a serial code, if it is in the archive and in the caller's scope.
func (s *Service) listArchived(ctx context.Context, by caller.Caller, f *Filter) ([]Ticket, error) {
	t, err := s.findArchived(ctx, f.Serial)
	if errors.Is(err, tickets.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return nil, err
	}
	below := f.Below == uuid.Nil || slices.ContainsFunc(chain, func(n org.Node) bool { return n.ID == f.Below })
	if !by.Scope.Contains(chain.Path()) || !below || f.Offset > 0 || f.Status != "" && f.Status != t.Status || f.EntityID != uuid.Nil && f.EntityID != t.EntityID {
		return nil, nil
	}
	return []Ticket{*t}, nil
}
