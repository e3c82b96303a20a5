package messaging

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Bounds of a list.
const (
	defaultPage = 50
	maxPage     = 200
	maxTries    = 200 // shown with one message
)

const messageColumns = `m.id, m.entity_id, m.ticket_id, m.kind, m.driver, coalesce(m.recipient, ''), m.body, m.image_url, m.status, m.provider_id,
	m.error_code, m.error_text, m.attempts, m.retry_count, m.lease_until, m.queued_at, m.created_at, m.updated_at, m.channel_id, m.waiting, m.send_after`

const fromMessages = `SELECT ` + messageColumns + ` FROM message_logs m JOIN entities e ON e.id = m.entity_id`

const getSQL = `SELECT ` + messageColumns + ` FROM message_logs m JOIN entities e ON e.id = m.entity_id
	WHERE e.path LIKE $1 AND m.id = $2`

const attemptsSQL = `SELECT id, message_id, number, driver, outcome, error_text, provider_id, duration_ms, created_at
	FROM message_attempts WHERE message_id = $1 ORDER BY number DESC LIMIT $2`

// Filter narrows a list; zero fields mean any.
type Filter struct {
	Status    string    `json:"status,omitempty"`
	Kind      string    `json:"kind,omitempty"`
	ErrorCode string    `json:"error_code,omitempty"`
	Recipient string    `json:"recipient,omitempty"` // E.164
	EntityID  uuid.UUID `json:"entity_id,omitzero"`  // with everything below it
	TicketID  uuid.UUID `json:"ticket_id,omitzero"`
	ChannelID uuid.UUID `json:"channel_id,omitzero"` // of the last attempt, or that it waits for
	From      time.Time `json:"from,omitzero"`       // of the instant at which it was queued first
	To        time.Time `json:"to,omitzero"`         // exclusive
}

// where adds the conditions. Ids are UUIDs of version 7, so bounds of time are bounds of the index of ids, too.
func (f *Filter) where(w *storage.Where) {
	for _, c := range []struct{ column, value string }{{"status", f.Status}, {"kind", f.Kind}, {"error_code", f.ErrorCode}, {"recipient", f.Recipient}} {
		if c.value != "" {
			w.And(`m.` + c.column + ` = ` + w.Arg(c.value))
		}
	}
	if f.EntityID != uuid.Nil {
		w.And(`m.entity_id IN (SELECT below.id FROM entities below JOIN entities above ON below.path LIKE above.path || '%' WHERE above.id = ` + w.Arg(f.EntityID) + `)`)
	}
	if f.TicketID != uuid.Nil {
		w.And(`m.ticket_id = ` + w.Arg(f.TicketID))
	}
	if f.ChannelID != uuid.Nil {
		w.And(`m.channel_id = ` + w.Arg(f.ChannelID))
	}
	if !f.From.IsZero() {
		w.And(`m.id >= ` + w.Arg(storage.FirstID(f.From.Add(-skew))) + ` AND m.created_at >= ` + w.Arg(f.From))
	}
	if !f.To.IsZero() {
		w.And(`m.id < ` + w.Arg(storage.FirstID(f.To.Add(skew))) + ` AND m.created_at < ` + w.Arg(f.To))
	}
}

// skew is how far the clocks that make ids and the database's may differ, and how long a transaction may last.
const skew = 10 * time.Minute

// Page is a window into a list, newest first. Ids grow with time, so the last id of a page is the Before of
// the next.
type Page struct {
	Before uuid.UUID // zero for the first page
	Limit  int       // default 50, at most 200
}

// Detail is a message with its attempts, newest first.
type Detail struct {
	models.MessageLog

	Tries   []models.MessageAttempt
	Reports []models.MessageReport // of the provider, the oldest first
}

// List returns the messages in the caller's scope. Errors: org.ErrEntityNotFound.
func (s *Service) List(ctx context.Context, by caller.Caller, filter Filter, page Page) ([]models.MessageLog, error) {
	limit := page.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	w, err := s.listed(ctx, by, &filter)
	if err != nil {
		return nil, err
	}
	if page.Before != uuid.Nil {
		w.And(`m.id < ` + w.Arg(page.Before))
	}
	rows, err := s.deps.Pool.Query(ctx, fromMessages+w.SQL()+` ORDER BY m.id DESC LIMIT `+w.Arg(min(limit, maxPage)), w.Args()...)
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	messages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[models.MessageLog])
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	return messages, nil
}

// listed returns the condition of the messages of a filter in the caller's scope. Errors: org.ErrEntityNotFound.
func (s *Service) listed(ctx context.Context, by caller.Caller, filter *Filter) (*storage.Where, error) {
	if err := s.reachable(ctx, by, filter.EntityID); err != nil {
		return nil, err
	}
	within, err := s.deps.Org.Within(ctx, by)
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	w := &storage.Where{}
	w.And(within.SQL("m.entity_id", "e.path", w.Arg(within.Value())))
	filter.where(w)
	return w, nil
}

// Window is a part of a list by its place.
type Window struct {
	Limit, Offset int
	After         uuid.UUID // only newer messages; zero for all
}

// ListPage returns the messages of a page in the caller's scope, newest first, and their number on all pages as
// storage.List counts it. Errors: org.ErrEntityNotFound.
func (s *Service) ListPage(
	ctx context.Context, by caller.Caller, filter *Filter, page Window,
) ([]models.MessageLog, int64, error) {
	w, err := s.listed(ctx, by, filter)
	if err != nil {
		return nil, 0, err
	}
	if page.After != uuid.Nil {
		w.And(`m.id > ` + w.Arg(page.After))
	}
	l := &storage.Listing{Columns: messageColumns, From: `FROM message_logs m JOIN entities e ON e.id = m.entity_id`, Where: w, Order: `m.id DESC`}
	list, total, err := storage.List(ctx, s.deps.Pool, l, pgx.RowToStructByPos[models.MessageLog], page.Limit, page.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("messaging: list: %w", err)
	}
	return list, total, nil
}

// Get returns one message in the caller's scope. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (Detail, error) {
	rows, err := s.deps.Pool.Query(ctx, getSQL, by.Scope.Pattern(), id)
	if err != nil {
		return Detail{}, fmt.Errorf("messaging: get: %w", err)
	}
	message, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[models.MessageLog])
	if errors.Is(err, pgx.ErrNoRows) {
		return Detail{}, ErrNotFound
	}
	if err != nil {
		return Detail{}, fmt.Errorf("messaging: get: %w", err)
	}
	rows, err = s.deps.Pool.Query(ctx, attemptsSQL, id, maxTries)
	if err != nil {
		return Detail{}, fmt.Errorf("messaging: attempts: %w", err)
	}
	tries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[models.MessageAttempt])
	if err != nil {
		return Detail{}, fmt.Errorf("messaging: attempts: %w", err)
	}
	reports, err := s.reportsOf(ctx, id)
	if err != nil {
		return Detail{}, err
	}
	return Detail{MessageLog: message, Tries: tries, Reports: reports}, nil
}
