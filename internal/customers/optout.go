package customers

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/caller"
	"banca/storage"
)

// Wish is what a person wrote from a telephone: no more messages, or messages again, of an entity and those below.
type Wish struct {
	EntityID uuid.UUID
	Scope    caller.Scope // of the entity
	Phone    string
	OptOut   bool
}

// maxWishes bounds the customers that one wish changes; a telephone is one customer of each ticket point.
const maxWishes = 1_000

// wishSQL finds the customers with a telephone, and those they are merged into, whose state is another one, in the order of their locks.
const wishSQL = `SELECT id FROM customers WHERE deleted_at IS NULL AND (opt_out_at IS NULL) = $3 AND id IN (
		SELECT unnest(ARRAY[c.id, c.merged_into]) FROM customers c JOIN entities e ON e.id = c.entity_id WHERE c.phone = $1 AND e.path LIKE $2)
	ORDER BY id LIMIT $4 FOR UPDATE`

// ApplyTx stores a wish and returns how many customers it changed.
func ApplyTx(ctx context.Context, tx pgx.Tx, w *Wish) (int, error) {
	rows, err := tx.Query(ctx, wishSQL, w.Phone, w.Scope.Pattern(), w.OptOut, maxWishes)
	if err != nil {
		return 0, fmt.Errorf("find customers of a wish: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	rows, err = tx.Query(ctx, `UPDATE customers SET opt_out_at = CASE WHEN $2 THEN now() END, opt_out_scope = CASE WHEN $2 THEN $3::uuid END, updated_at = now()
		WHERE id = ANY($1) RETURNING id, entity_id`, storage.UUIDs(ids), w.OptOut, w.EntityID)
	if err != nil {
		return 0, fmt.Errorf("store wish: %w", err)
	}
	type changed struct{ ID, EntityID uuid.UUID }
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[changed])
	if err != nil {
		return 0, fmt.Errorf("store wish: %w", err)
	}
	action := "opt_in"
	if w.OptOut {
		action = "opt_out"
	}
	for _, c := range list {
		entry := activity.Entry{Module: "customers", Action: action, EntityID: c.EntityID, Target: c.ID.String(), Details: map[string]any{"by": "message"}}
		if err := activity.RecordPgxTx(ctx, tx, entry); err != nil {
			return 0, err
		}
	}
	return len(list), nil
}

// OptedOut reports whether the person with a telephone wants no messages of an entity, which is the last one of its chain.
func OptedOut(ctx context.Context, db storage.RowQuerier, chain []uuid.UUID, phone string) (yes bool, err error) {
	if len(chain) == 0 {
		return false, nil
	}
	err = db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM customers WHERE phone = $1 AND opt_out_at IS NOT NULL AND (entity_id = $2 OR opt_out_scope = ANY($3)))`,
		phone, chain[len(chain)-1], storage.UUIDs(chain)).Scan(&yes)
	if err != nil {
		return false, fmt.Errorf("opt-out: %w", err)
	}
	return yes, nil
}
