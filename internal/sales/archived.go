package sales

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
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
	rows, err := populated[models.Ticket](ctx, s.PG.Pool, `SELECT * FROM jsonb_populate_recordset(NULL::tickets, $1::text::jsonb)`, [][]byte{found.Row})
	if err != nil {
		return nil, err
	}
	row := &rows[0]
	items, err := populated[itemRow](ctx, s.PG.Pool, `SELECT i.*, d.draw_number, d.draw_time FROM jsonb_populate_recordset(NULL::ticket_lines, $1::text::jsonb) i
		JOIN draws d ON d.id = i.draw_id ORDER BY i.line_no`, found.Lines)
	if err != nil {
		return nil, err
	}
	currency, err := s.Ledger.AnyCurrency(ctx, row.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	list := []Ticket{ticketOf(row, currency)}
	return &list[0], s.addLines(ctx, list, map[uuid.UUID]int{row.ID: 0}, items)
}

// populated runs a statement on rows of the archive.
func populated[T any](ctx context.Context, q storage.Querier, sql string, archived [][]byte) ([]T, error) {
	rows, err := q.Query(ctx, sql, "["+string(bytes.Join(archived, []byte{','}))+"]")
	if err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[T])
	if err != nil {
		return nil, fmt.Errorf("archived ticket: %w", err)
	}
	return list, nil
}

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
