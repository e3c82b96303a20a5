package connections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging/channel"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

const columns = `c.id, c.entity_id, e.name, c.name, c.driver, c.parameters, c.per_minute, c.state, c.reason, c.phone, c.code, c.link_until, c.checked_at,
	c.created_at, c.updated_at, coalesce(left(md5(c.qr), 12), ''), c.secrets`

const fromConnections = `FROM messaging_connections c JOIN entities e ON e.id = c.entity_id`

func scan(r pgx.CollectableRow) (row, error) {
	var c row
	err := r.Scan(&c.ID, &c.EntityID, &c.EntityName, &c.Name, &c.Driver, &c.Parameters, &c.PerMinute, &c.State, &c.Reason, &c.Phone, &c.Code, &c.LinkUntil,
		&c.CheckedAt, &c.CreatedAt, &c.UpdatedAt, &c.QRVersion, &c.secrets)
	return c, err
}

// one returns the row that a condition finds. Errors: ErrNotFound.
func (s *Service) one(ctx context.Context, condition string, args ...any) (*row, error) {
	rows, err := s.PG.Pool.Query(
		ctx, `SELECT `+columns+` `+fromConnections+` WHERE c.deleted_at IS NULL AND `+condition, args...,
	)
	if err != nil {
		return nil, fmt.Errorf("find connection: %w", err)
	}
	c, err := pgx.CollectOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("find connection: %w", err)
	}
	return &c, nil
}

// find returns a connection in the caller's scope. Errors: ErrNotFound.
func (s *Service) find(ctx context.Context, by caller.Caller, id uuid.UUID) (*row, error) {
	return s.one(ctx, `c.id = $1 AND e.path LIKE $2`, id, by.Scope.Pattern())
}

// Get returns a connection in the caller's scope. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Connection, error) {
	c, err := s.find(ctx, by, id)
	if err != nil {
		return nil, err
	}
	return &c.Connection, nil
}

// List returns the connections in the caller's scope by the names of their entities.
func (s *Service) List(ctx context.Context, by caller.Caller, limit, offset int) ([]Connection, int64, error) {
	var w storage.Where
	w.And(`c.deleted_at IS NULL`)
	w.And(`e.path LIKE ` + w.Arg(by.Scope.Pattern()))
	rows, total, err := storage.List(
		ctx, s.PG.Pool, &storage.Listing{Columns: columns, From: fromConnections, Where: &w, Order: `e.name, c.id`},
		scan, limit, offset,
	)
	if err != nil {
		return nil, 0, fmt.Errorf("list connections: %w", err)
	}
	list := make([]Connection, len(rows))
	for i := range rows {
		list[i] = rows[i].Connection
	}
	return list, total, nil
}

// QR returns the picture to scan, a new one if the last has expired. Errors: ErrNotFound, ErrNoQR.
func (s *Service) QR(ctx context.Context, by caller.Caller, id uuid.UUID) ([]byte, error) {
	c, err := s.Watch(ctx, by, id)
	if err != nil {
		return nil, err
	}
	var png []byte
	err = s.PG.Pool.QueryRow(ctx, `SELECT qr FROM messaging_connections WHERE id = $1 AND state = 'qr' AND (link_until IS NULL OR link_until > $2)`,
		c.ID, s.Clock.Now()).Scan(&png)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && len(png) == 0 {
		return nil, ErrNoQR
	}
	if err != nil {
		return nil, fmt.Errorf("read qr: %w", err)
	}
	return png, nil
}

// qrLife is how long a picture counts as valid whose provider does not say how long: gateways make another one every
// 20 to 60 seconds. One that is the same after it counts for as long again.
const qrLife = 20 * time.Second

// store writes what a provider said of the account and returns whether the state is another one than before.
func (s *Service) store(ctx context.Context, id uuid.UUID, l *channel.Link) (changed bool, err error) {
	err = s.PG.Pool.QueryRow(ctx, `UPDATE messaging_connections c SET state = $2, reason = $3, phone = CASE WHEN $4 <> '' THEN $4 WHEN $2 = 'open' THEN c.phone ELSE '' END,
			qr = CASE WHEN $2 = 'qr' THEN coalesce($5, c.qr) END, code = $6, checked_at = now(), updated_at = now(),
			link_until = CASE WHEN $2 <> 'qr' OR $7::timestamptz IS NOT NULL THEN $7::timestamptz
				WHEN $5::bytea IS NULL OR $5 = c.qr AND c.link_until > $9::timestamptz THEN c.link_until ELSE $8::timestamptz END
		FROM (SELECT id, state FROM messaging_connections WHERE id = $1 AND deleted_at IS NULL FOR UPDATE) before
		WHERE c.id = before.id RETURNING before.state <> c.state`,
		id, string(l.State), l.Reason, l.Phone, l.QR, l.Code, models.Optional(l.ExpiresAt), s.Clock.Now().Add(qrLife), s.Clock.Now()).Scan(&changed)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, ErrNotFound
	}
	if err != nil {
		return false, fmt.Errorf("store connection state: %w", err)
	}
	return changed, nil
}
