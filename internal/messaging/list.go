package messaging

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// Bounds of a list.
const (
	defaultPage = 50
	maxPage     = 200
	maxTries    = 200 // shown with one message
)

const messageColumns = `m.id, m.entity_id, m.ticket_id, m.kind, m.driver, m.recipient, m.body, m.image_url, m.status, m.provider_id,
	m.error_code, m.error_text, m.attempts, m.retry_count, m.lease_until, m.queued_at, m.created_at, m.updated_at`

const listSQL = `SELECT ` + messageColumns + ` FROM message_logs m JOIN entities e ON e.id = m.entity_id
	WHERE e.path LIKE $1 || '%' AND ($2 = '' OR m.status = $2) AND ($3::uuid IS NULL OR m.ticket_id = $3)
		AND ($4::uuid IS NULL OR m.id < $4)
	ORDER BY m.id DESC LIMIT $5`

const getSQL = `SELECT ` + messageColumns + ` FROM message_logs m JOIN entities e ON e.id = m.entity_id
	WHERE e.path LIKE $1 || '%' AND m.id = $2`

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

	Tries []models.MessageAttempt
}

// List returns the messages of the subtree of the entity with this path.
func (s *Service) List(ctx context.Context, scopePath string, filter Filter, page Page) ([]models.MessageLog, error) {
	if err := checkScope(scopePath); err != nil {
		return nil, err
	}
	limit := page.Limit
	if limit <= 0 {
		limit = defaultPage
	}
	rows, err := s.config.Pool.Query(ctx, listSQL, scopePath, filter.Status, storage.Maybe(filter.TicketID), storage.Maybe(page.Before), min(limit, maxPage))
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	messages, err := pgx.CollectRows(rows, pgx.RowToStructByPos[models.MessageLog])
	if err != nil {
		return nil, fmt.Errorf("messaging: list: %w", err)
	}
	return messages, nil
}

// Get returns one message of that subtree; one outside it is ErrNotFound, as if it did not exist.
func (s *Service) Get(ctx context.Context, scopePath string, id uuid.UUID) (Detail, error) {
	if err := checkScope(scopePath); err != nil {
		return Detail{}, err
	}
	rows, err := s.config.Pool.Query(ctx, getSQL, scopePath, id)
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
	return Detail{MessageLog: message, Tries: tries}, nil
}

// checkScope refuses what is no entity's path: an empty one would mean everything, and a wildcard more than
// it says.
func checkScope(path string) error {
	inner := strings.Trim(path, "/")
	if inner == "" || path != "/"+inner+"/" || strings.Trim(inner, "0123456789abcdef-/") != "" {
		return errBadScope
	}
	return nil
}
