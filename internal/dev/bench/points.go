package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/setup/seed"
	"banca/models"
)

const (
	maxClients    = 64
	benchPassword = "bench-password"
	minBcryptCost = 4
	hugeCredit    = 1_000_000_000_00
	hugeLimit     = 1_000_000_000_000_00
)

func rootID() uuid.UUID { return uuid.MustParse("01900000-0000-7000-8000-000000000001") }

func pointID(client int) uuid.UUID { return seed.ID("bench", "point", fmt.Sprint(client)) }
func userID(client int) uuid.UUID  { return seed.ID("bench", "user", fmt.Sprint(client)) }
func login(client int) string      { return fmt.Sprintf("bench-%d", client) }

// hotLogin is a user of the one ticket point that many sell at.
func hotLogin(client int) string { return fmt.Sprintf("bench-hot-%d", client) }

// addPoints adds ticket points with users, credit for the whole run and limits that are checked at every
// level but never reached.
func (s *stage) addPoints(ctx context.Context) error {
	hash, err := auth.HashPassword(benchPassword, minBcryptCost)
	if err != nil {
		return err
	}
	for i := range maxClients {
		_, err := s.pg.Pool.Exec(ctx, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info)
			SELECT $1::uuid, $2, $3, $3, id, path || ($1::uuid)::text || '/', 'active', '{"commissions":[{"percent":"10"}]}' FROM entities WHERE code = $4`,
			pointID(i), models.EntityTicketPoint, fmt.Sprintf("BENCH-%d", i), seed.CodeGroup)
		if err != nil {
			return fmt.Errorf("ticket point: %w", err)
		}
		for _, u := range []struct {
			id    uuid.UUID
			login string
			point int
		}{{userID(i), login(i), i}, {seed.ID("bench", "hot", fmt.Sprint(i)), hotLogin(i), 0}} {
			_, err := s.pg.Pool.Exec(ctx, `INSERT INTO users (id, entity_id, identifier, name, role, auth_method, password_hash) VALUES ($1, $2, $3, $3, $4, 'password', $5)`,
				u.id, pointID(u.point), u.login, models.RoleTaquilla, hash)
			if err != nil {
				return fmt.Errorf("user: %w", err)
			}
		}
	}
	_, err = s.pg.Pool.Exec(ctx, `INSERT INTO wallets (id, entity_id, currency_id, credit_limit)
		SELECT gen_random_uuid(), e.id, c.id, $1 FROM entities e, currencies c WHERE e.code LIKE 'BENCH-%' AND c.code = 'VES'`, hugeCredit)
	if err != nil {
		return fmt.Errorf("wallets: %w", err)
	}
	_, err = s.pg.Pool.Exec(ctx, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base)
		SELECT gen_random_uuid(), e.id, c.id, 'stake', $1 FROM entities e, currencies c WHERE e.code LIKE 'BENCH-%' AND c.code = 'VES'`, hugeLimit)
	if err != nil {
		return fmt.Errorf("limits: %w", err)
	}
	_, err = s.pg.Pool.Exec(ctx, `UPDATE risk_limits SET base = $1`, hugeLimit)
	return err
}

// ticketDraws returns two draws that stay open for the whole run, after skipping some. Sales that bypass
// the risk engine have draws of their own, so that the counters of the others can be audited.
func (s *stage) ticketDraws(ctx context.Context, skip int) ([2]uuid.UUID, error) {
	var draws [2]uuid.UUID
	for i := range draws {
		err := s.pg.Pool.QueryRow(ctx, `SELECT d.id FROM draws d JOIN games g ON g.id = d.game_id
			WHERE g.short_code = 'lotto-activo' AND d.status = 'open' AND d.sale_stop_at > $1 ORDER BY d.draw_time LIMIT 1 OFFSET $2`,
			time.Now().Add(time.Hour), skip+i).Scan(&draws[i])
		if err != nil {
			return draws, fmt.Errorf("no open draw: %w", err)
		}
	}
	return draws, nil
}
