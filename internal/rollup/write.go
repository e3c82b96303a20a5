package rollup

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// writeBatch bounds the rows of one statement.
const writeBatch = 10_000

// The keys of the two tables: their columns with the types of the parameters, in the order of the primary keys.
const (
	entityKeys = `entity_id uuid, day integer, currency_id uuid, game_id uuid, parent_id uuid`
	drawKeys   = `game_id uuid, path_id integer, day integer, draw_id uuid, currency_id uuid`
)

// writeEntities adds figures to daily_totals, in the order of its index.
func writeEntities(ctx context.Context, tx pgx.Tx, totals map[entityKey]*Figures) error {
	sql := upsert(`INSERT INTO daily_totals AS d`, entityKeys, columns)
	keys := slices.SortedFunc(maps.Keys(totals), entityKey.compare)
	for batch := range slices.Chunk(keys, writeBatch) {
		n := len(batch)
		entities, currencies, games, parents := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
		days, figures := make(storage.Integers, n), make([][]int64, n)
		for i, k := range batch {
			entities[i], days[i], currencies[i], games[i], parents[i] = k.entity, k.day, k.currency, k.game, k.parent
			figures[i] = totals[k].values()
		}
		if _, err := tx.Exec(ctx, sql, append([]any{entities, days, currencies, games, parents}, transposed(figures)...)...); err != nil {
			return fmt.Errorf("write daily totals: %w", err)
		}
	}
	return nil
}

// writeDraws adds figures to draw_totals, in the order of its index.
func writeDraws(ctx context.Context, tx pgx.Tx, e events, games map[uuid.UUID]uuid.UUID) error {
	sql := upsert(`INSERT INTO draw_totals AS d`, drawKeys, lineColumns)
	keys := make([]leaf, 0, len(e))
	for at := range e {
		if at.draw != uuid.Nil {
			keys = append(keys, at)
		}
	}
	slices.SortFunc(keys, func(a, b leaf) int {
		x, y := games[a.draw], games[b.draw]
		return cmp.Or(bytes.Compare(x[:], y[:]), a.compare(b))
	})
	for batch := range slices.Chunk(keys, writeBatch) {
		n := len(batch)
		gameIDs, draws, currencies := make(storage.UUIDs, n), make(storage.UUIDs, n), make(storage.UUIDs, n)
		days, paths, figures := make(storage.Integers, n), make(storage.Integers, n), make([][]int64, n)
		for i, k := range batch {
			gameIDs[i], days[i], draws[i], paths[i], currencies[i] = games[k.draw], k.day, k.draw, k.path, k.currency
			figures[i] = e[k].values()[len(strings.Split(ticketColumns, ", ")):]
		}
		if _, err := tx.Exec(ctx, sql, append([]any{gameIDs, paths, days, draws, currencies}, transposed(figures)...)...); err != nil {
			return fmt.Errorf("write totals of draws: %w", err)
		}
	}
	return nil
}

// upsert completes the statement that adds figures to the rows of a table. Its parameters are an array for each column of the key, then
// one for each figure.
func upsert(insert, keys, figures string) string {
	var names, values, sums []string
	parameter := func(column, kind string) {
		names = append(names, column)
		value := `unnest($` + strconv.Itoa(len(names)) + `::` + kind + `[])`
		if column == "day" {
			value = `DATE '2000-01-01' + ` + value
		}
		values = append(values, value)
	}
	for key := range strings.SplitSeq(keys, ", ") {
		column, kind, _ := strings.Cut(key, " ")
		parameter(column, kind)
	}
	conflict := strings.Join(names, ", ")
	for column := range strings.SplitSeq(figures, ", ") {
		parameter(column, `bigint`)
		sums = append(sums, column+` = d.`+column+` + excluded.`+column)
	}
	return insert + ` (` + strings.Join(names, ", ") + `) SELECT ` + strings.Join(values, ", ") +
		` ON CONFLICT (` + conflict + `) DO UPDATE SET ` + strings.Join(sums, ", ")
}

// transposed returns the columns of rows as parameters.
func transposed(rows [][]int64) []any {
	list := make([]any, len(rows[0]))
	for column := range list {
		values := make(storage.Bigints, len(rows))
		for i := range rows {
			values[i] = rows[i][column]
		}
		list[column] = values
	}
	return list
}

func (k entityKey) compare(o entityKey) int {
	return cmp.Or(bytes.Compare(k.entity[:], o.entity[:]), cmp.Compare(k.day, o.day), bytes.Compare(k.currency[:], o.currency[:]),
		bytes.Compare(k.game[:], o.game[:]), bytes.Compare(k.parent[:], o.parent[:]))
}

func (at leaf) compare(o leaf) int {
	return cmp.Or(cmp.Compare(at.path, o.path), cmp.Compare(at.day, o.day), bytes.Compare(at.draw[:], o.draw[:]), bytes.Compare(at.currency[:], o.currency[:]))
}
