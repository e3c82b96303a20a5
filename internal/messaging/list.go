package messaging

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/caller"
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
	m.error_code, m.error_text, m.attempts, m.retry_count, m.lease_until, m.queued_at, m.created_at, m.updated_at`

const fromMessages = `SELECT ` + messageColumns + ` FROM message_logs m JOIN entities e ON e.id = m.entity_id`

const getSQL = `SELECT ` + messageColumns + ` FROM message_logs m JOIN entities e ON e.id = m.entity_id
	WHERE e.path LIKE $1 AND m.id = $2`

const attemptsSQL = `SELECT id, message_id, number, driver, outcome, error_text, provider_id, duration_ms, created_at
	FROM message_attempts WHERE message_id = $1 ORDER BY number DESC LIMIT $2`

// Filter narrows a list; zero fields mean any.
type Filter struct {
	Status   string
	TicketID uuid.UUID
}

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

// List returns the messages in the caller's scope.
func (s *Service) List(ctx context.Context, by caller.Caller, filter Filter, page Page) ([]models.MessageLog, error) {
	limit := page.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	within, err := s.config.Org.Within(ctx, by)
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	var w storage.Where
	w.And(within.SQL("m.entity_id", "e.path", w.Arg(within.Value())))
	if filter.Status != "" {
		w.And(`m.status = ` + w.Arg(filter.Status))
	}
	if filter.TicketID != uuid.Nil {
		w.And(`m.ticket_id = ` + w.Arg(filter.TicketID))
	}
	if page.Before != uuid.Nil {
		w.And(`m.id < ` + w.Arg(page.Before))
	}
	rows, err := s.config.Pool.Query(ctx, fromMessages+w.SQL()+` ORDER BY m.id DESC LIMIT `+w.Arg(min(limit, maxPage)), w.Args()...)
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	messages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[models.MessageLog])
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	return messages, nil
}

// Get returns one message in the caller's scope. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (Detail, error) {
	rows, err := s.config.Pool.Query(ctx, getSQL, by.Scope.Pattern(), id)
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
	rows, err = s.config.Pool.Query(ctx, attemptsSQL, id, maxTries)
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
