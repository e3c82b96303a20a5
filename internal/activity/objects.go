package activity

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/storage"
)

// Object is an object that entries name by its id.
type Object struct {
	ID   uuid.UUID
	Kind string    // such as "ticket"
	Page uuid.UUID // id of the object with the page: the draw of a result, the user of a session, the object itself otherwise
	Name string
	Unit string    // of the currency of a wallet, limit, close or settlement; else ""
	At   time.Time // of a draw or a result; else zero
	Day  string    // of a payment, close or settlement, as 2006-01-02; else ""
	Gone bool      // a deleted user or customer, which has no page
}

// objectsSQL reads the objects with the ids $1. An object of an entity outside the scope $2 is not read.
const objectsSQL = `SELECT o.id, o.kind, o.page, o.name, o.unit, coalesce(o.at, '0001-01-01 00:00Z') AS at, o.day, o.gone FROM (
	SELECT id, 'entity' AS kind, id AS page, name, '' AS unit, NULL::timestamptz AS at, '' AS day, false AS gone, id AS entity_id FROM entities WHERE id = ANY($1)
	UNION ALL SELECT id, 'user', id, name, '', NULL, '', deleted_at IS NOT NULL, entity_id FROM users WHERE id = ANY($1)
	UNION ALL SELECT s.id, 'session', u.id, u.name, '', NULL, '', u.deleted_at IS NOT NULL, u.entity_id FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE s.id = ANY($1)
	UNION ALL SELECT id, 'device', id, name, '', NULL, '', false, entity_id FROM devices WHERE id = ANY($1)
	UNION ALL SELECT id, 'document', entity_id, name, '', NULL, '', false, entity_id FROM entity_documents WHERE id = ANY($1)
	UNION ALL SELECT id, 'customer', id, name, '', NULL, '', deleted_at IS NOT NULL OR merged_into IS NOT NULL, entity_id FROM customers WHERE id = ANY($1)
	UNION ALL SELECT id, 'ticket', id, serial_code, '', NULL, '', false, entity_id FROM tickets WHERE id = ANY($1)
	UNION ALL SELECT w.id, 'wallet', w.id, e.name, coalesce(nullif(c.symbol, ''), c.code), NULL, '', false, w.entity_id
		FROM wallets w JOIN entities e ON e.id = w.entity_id JOIN currencies c ON c.id = w.currency_id WHERE w.id = ANY($1)
	UNION ALL SELECT l.id, 'limit', l.id, e.name, coalesce(nullif(c.symbol, ''), c.code), NULL, '', false, l.entity_id
		FROM risk_limits l JOIN entities e ON e.id = l.entity_id JOIN currencies c ON c.id = l.currency_id WHERE l.id = ANY($1)
	UNION ALL SELECT d.id, 'close', d.id, e.name, coalesce(nullif(c.symbol, ''), c.code), NULL, d.day::text, false, d.entity_id
		FROM daily_closes d JOIN entities e ON e.id = d.entity_id JOIN currencies c ON c.id = d.currency_id WHERE d.id = ANY($1)
	UNION ALL SELECT s.id, 'settlement', s.id, e.name, coalesce(nullif(c.symbol, ''), c.code), NULL, s.week::text, false, s.entity_id
		FROM weekly_settlements s JOIN entities e ON e.id = s.entity_id JOIN currencies c ON c.id = s.currency_id WHERE s.id = ANY($1)
	UNION ALL SELECT id, 'message', id, kind, '', NULL, '', false, entity_id FROM message_logs WHERE id = ANY($1)
	UNION ALL SELECT id, 'category', id, name, '', NULL, '', false, NULL FROM game_categories WHERE id = ANY($1)
	UNION ALL SELECT id, 'game', id, name, '', NULL, '', false, NULL FROM games WHERE id = ANY($1)
	UNION ALL SELECT d.id, 'draw', d.id, g.name, '', d.draw_time, '', false, NULL FROM draws d JOIN games g ON g.id = d.game_id WHERE d.id = ANY($1)
	UNION ALL SELECT r.id, 'result', d.id, g.name, '', d.draw_time, '', false, NULL
		FROM results r JOIN draws d ON d.id = r.draw_id JOIN games g ON g.id = d.game_id WHERE r.id = ANY($1)
	UNION ALL SELECT id, 'currency', id, name, '', NULL, '', false, NULL FROM currencies WHERE id = ANY($1)
	UNION ALL SELECT id, 'payment', id, reference, '', NULL, local_date::text, false, entity_id FROM bank_payments WHERE id = ANY($1)
) o LEFT JOIN entities e ON e.id = o.entity_id WHERE o.entity_id IS NULL OR e.path LIKE $2`

// Objects returns the objects with the given ids, by id. An object that does not exist any more or lies outside the
// caller's scope is missing.
func (s *Service) Objects(ctx context.Context, by caller.Caller, ids []uuid.UUID) (map[uuid.UUID]Object, error) {
	if len(ids) == 0 {
		return map[uuid.UUID]Object{}, nil
	}
	list, err := storage.Collect(ctx, s.pg.Pool, "read objects of entries", pgx.RowToStructByPos[Object], objectsSQL, storage.UUIDs(ids), by.Scope.Pattern())
	if err != nil {
		return nil, err
	}
	all := make(map[uuid.UUID]Object, len(list))
	for _, o := range list {
		all[o.ID] = o
	}
	return all, nil
}
