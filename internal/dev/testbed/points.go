package testbed

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"banca/internal/auth"
	"banca/internal/setup/seed"
	"banca/models"
)

const (
	// Password is the password of the users that a testbed adds.
	Password = "testbed-password"

	hugeCredit = 1_000_000_000_00
	hugeLimit  = 1_000_000_000_000_00
)

// Database is a connection or a pool.
type Database interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Point is a ticket point of a run, with a wallet and a user who sells.
type Point struct {
	ID, WalletID, UserID uuid.UUID
	Code, Login          string
}

// PointOf returns the nth ticket point of a run, without its wallet.
func PointOf(run string, n int) Point {
	number := strconv.Itoa(n)
	return Point{
		ID: seed.ID(run, "point", number), UserID: seed.ID(run, "user", number),
		Code: strings.ToUpper(run) + "-" + number, Login: run + "-" + number,
	}
}

// AddPoints adds ticket points with users, credit for the whole run, and limits that are checked at every level and
// never reached.
func AddPoints(ctx context.Context, db Database, run string, count int) ([]Point, error) {
	points := make([]Point, count)
	for n := range points {
		p := PointOf(run, n)
		_, err := db.Exec(ctx, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info)
			SELECT $1::uuid, $2, $3, $3, id, path || ($1::uuid)::text || '/', 'active', '{"commissions":[{"percent":"10"}]}'
			FROM entities WHERE code = $4`, p.ID, models.EntityTicketPoint, p.Code, seed.CodeGroup)
		if err != nil {
			return nil, fmt.Errorf("ticket point: %w", err)
		}
		if err := AddUser(ctx, db, p.UserID, p.Code, p.Login, models.RoleTaquilla); err != nil {
			return nil, err
		}
		err = db.QueryRow(ctx, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit)
			SELECT gen_random_uuid(), $1, c.id, $2 FROM currencies c WHERE c.code = 'VES' RETURNING id`, p.ID, hugeCredit).Scan(&p.WalletID)
		if err != nil {
			return nil, fmt.Errorf("wallet: %w", err)
		}
		points[n] = p
	}
	_, err := db.Exec(ctx, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base)
		SELECT gen_random_uuid(), e.id, c.id, 'stake', $1 FROM entities e, currencies c WHERE e.code LIKE $2 AND c.code = 'VES'`,
		hugeLimit, strings.ToUpper(run)+"-%")
	if err == nil {
		_, err = db.Exec(ctx, `UPDATE risk_limits SET base = $1`, hugeLimit)
	}
	return points, err
}

// AddUser adds a user of the entity with a code, who logs in with Password.
func AddUser(ctx context.Context, db Database, id uuid.UUID, code, login, role string) error {
	hash, err := auth.HashPassword(Password, BcryptCost)
	if err != nil {
		return err
	}
	tag, err := db.Exec(ctx, `INSERT INTO users (id, entity_id, identifier, name, role, auth_method, password_hash)
		SELECT $1, id, $3, $3, $4, 'password', $5 FROM entities WHERE code = $2`, id, code, login, role, hash)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("no entity %s", code)
	}
	if err != nil {
		return fmt.Errorf("user %s: %w", login, err)
	}
	return nil
}
