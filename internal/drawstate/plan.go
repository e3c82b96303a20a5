package drawstate

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/storage"
)

// Plan is a draw as it is planned.
type Plan struct {
	ID     uuid.UUID
	Number string          // of a new draw
	Date   businessday.Day // of a new draw
	At     time.Time
	Stop   time.Time // of its sales
	Fixed  bool      // Stop was typed, and does not follow the game's settings
	Opens  time.Time // zero: at once
	Status string    // scheduled or open; empty leaves the state of an existing draw
}

type columns struct {
	ids             storage.UUIDs
	numbers, status storage.Texts
	dates           []time.Time
	at, stop, opens storage.Timestamps
	fixed           storage.Booleans
}

func columnsOf(plans []Plan) columns {
	var c columns
	for i := range plans {
		p := &plans[i]
		c.ids, c.numbers, c.status, c.dates = append(c.ids, p.ID), append(c.numbers, p.Number), append(c.status, p.Status), append(c.dates, p.Date.UTC())
		c.at, c.stop, c.opens, c.fixed = append(c.at, p.At), append(c.stop, p.Stop), append(c.opens, p.Opens), append(c.fixed, p.Fixed)
	}
	return c
}

// InsertTx adds draws of a game in one statement, and leaves those whose ids exist as they are. Sales on new draws need at
// least the game's present rules.
func InsertTx(ctx context.Context, tx pgx.Tx, game uuid.UUID, plans []Plan, now time.Time) error {
	c := columnsOf(plans)
	_, err := tx.Exec(ctx, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, sale_stop_explicit, opens_at, status, created_at, updated_at, min_rule_version)
		SELECT unnest($2::uuid[]), $1, unnest($3::text[]), unnest($4::date[]), unnest($5::timestamptz[]), unnest($6::timestamptz[]), unnest($10::boolean[]), unnest($7::timestamptz[]), unnest($8::text[]), $9, $9,
			coalesce((SELECT rule_version FROM games WHERE id = $1), 0)
		ON CONFLICT (id) DO NOTHING`,
		game, c.ids, c.numbers, c.dates, c.at, c.stop, c.opens, c.status, now, c.fixed)
	if err != nil {
		return fmt.Errorf("insert draws: %w", err)
	}
	return nil
}

// MoveTx gives draws the times and states of plans in one statement.
func MoveTx(ctx context.Context, tx pgx.Tx, plans []Plan, now time.Time) error {
	c := columnsOf(plans)
	_, err := tx.Exec(ctx, `UPDATE draws d SET draw_time = n.at, sale_stop_at = n.stop, sale_stop_explicit = n.fixed, opens_at = n.opens, status = coalesce(nullif(n.status, ''), d.status), updated_at = $6
		FROM (SELECT unnest($1::uuid[]) AS id, unnest($2::timestamptz[]) AS at, unnest($3::timestamptz[]) AS stop, unnest($4::timestamptz[]) AS opens, unnest($5::text[]) AS status, unnest($7::boolean[]) AS fixed) n
		WHERE d.id = n.id`, c.ids, c.at, c.stop, c.opens, c.status, now, c.fixed)
	if err != nil {
		return fmt.Errorf("move draws: %w", err)
	}
	return nil
}

// DeleteTx removes draws with the limits that name them. Errors: one of storage.ViolatesForeignKey for a draw with sales.
func DeleteTx(ctx context.Context, tx pgx.Tx, ids []uuid.UUID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM draws WHERE id = ANY ($1::uuid[])`, storage.UUIDs(ids)); err != nil {
		return fmt.Errorf("delete draws: %w", err)
	}
	return nil
}

// DeleteOfGameTx removes all draws of a game as DeleteTx does.
func DeleteOfGameTx(ctx context.Context, tx pgx.Tx, game uuid.UUID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM draws WHERE game_id = $1`, game); err != nil {
		return fmt.Errorf("delete draws of game: %w", err)
	}
	return nil
}

// RequireRulesTx refuses sales on draws by rules of the game that are older than version.
func RequireRulesTx(ctx context.Context, tx pgx.Tx, ids []uuid.UUID, version int) error {
	if _, err := tx.Exec(ctx, `UPDATE draws SET min_rule_version = $2 WHERE id = ANY ($1::uuid[])`, storage.UUIDs(ids), version); err != nil {
		return fmt.Errorf("require rules: %w", err)
	}
	return nil
}
