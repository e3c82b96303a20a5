package volume

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// saleStop is the time between the end of the sales of a draw and the draw.
const saleStop = 5 * time.Minute

// game is a game with its plain bet.
type game struct {
	id       uuid.UUID
	rank     int // from 0, by position
	version  int
	schedule catalog.Schedule
	bet      string
	payout   money.Payout
	elements []string
}

// draw is a past draw with its result, or one that is on sale.
type draw struct {
	id, result uuid.UUID
	game       *game
	number     string
	day        businessday.Day
	at         time.Time
	value      string // empty on sale
	open       bool   // on sale
}

// readGames reads the active games. Their plain bet is the first of their rules.
func readGames(ctx context.Context, tx pgx.Tx) ([]game, error) {
	rows, err := tx.Query(ctx, `SELECT g.id, g.rule_version, g.schedule_config, g.betting_rules->'bet_types'->0->>'type', (100 * (g.betting_rules->'bet_types'->0->>'payout')::numeric)::bigint,
			array_agg(e.code ORDER BY e.position)
		FROM games g JOIN game_elements e ON e.game_id = g.id WHERE g.status = 'active' GROUP BY g.id ORDER BY g.position`)
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (g game, err error) {
		var schedule []byte
		if err := row.Scan(&g.id, &g.version, &schedule, &g.bet, &g.payout, &g.elements); err != nil {
			return g, err
		}
		return g, json.Unmarshal(schedule, &g.schedule)
	})
	if err != nil {
		return nil, fmt.Errorf("games: %w", err)
	}
	for i := range list {
		list[i].rank = i
	}
	return list, nil
}

// drawsOf returns the draws of a day with random results.
func (w *Writer) drawsOf(day businessday.Day) ([]draw, error) {
	var list []draw
	for i := range w.games {
		g := &w.games[i]
		slots, err := g.schedule.Day(day, w.Zone)
		if err != nil {
			return nil, err
		}
		for _, slot := range slots {
			list = append(list, draw{
				id: w.id(slot.At), result: w.id(slot.At), game: g, number: slot.Number, day: slot.Date, at: slot.At, value: g.elements[w.rng.IntN(len(g.elements))],
			})
		}
	}
	return list, nil
}

// copyDraws inserts settled draws with their verified results.
func (w *Writer) copyDraws(ctx context.Context, tx pgx.Tx, list []draw) error {
	source := "volume"
	if w.Profile != nil {
		source = w.Profile.Source
	}
	err := copyRows(ctx, tx, "draws", []string{
		"id", "game_id", "draw_number", "local_date", "draw_time", "sale_stop_at", "status", "closed_at", "cache_closed_at", "external_closed_at", "settled_at", "created_at", "updated_at",
	}, len(list), func(i int) []any {
		d := &list[i]
		stop, settled := d.at.Add(-saleStop), d.at.Add(saleStop)
		return []any{d.id, d.game.id, d.number, d.day.UTC(), d.at, stop, "closed", stop, stop, stop, settled, d.at.AddDate(0, 0, -1), settled}
	})
	if err != nil {
		return err
	}
	err = copyRows(ctx, tx, "results", []string{"id", "draw_id", "version", "value", "status", "origin", "source", "entered_at", "verified_at"}, len(list), func(i int) []any {
		d := &list[i]
		return []any{d.result, d.id, 1, d.value, "verified", "fetched", source, d.at.Add(time.Minute), d.at.Add(2 * time.Minute)}
	})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE draws d SET status = 'settled', result_id = r.id FROM results r WHERE r.draw_id = d.id AND d.local_date = $1 AND d.status = 'closed' AND r.source = $2`, list[0].day, source)
	if err != nil {
		return fmt.Errorf("results of draws: %w", err)
	}
	return nil
}

// copyRows inserts n rows into a table.
func copyRows(ctx context.Context, tx pgx.Tx, table string, columns []string, n int, row func(i int) []any) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(n, func(i int) ([]any, error) { return row(i), nil }))
	if err != nil {
		return fmt.Errorf("copy %s: %w", table, err)
	}
	return nil
}
