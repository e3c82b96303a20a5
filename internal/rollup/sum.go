package rollup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/storage"
)

// Dimension is a column by which totals are grouped.
type Dimension string

// Dimensions.
const (
	ByEntity Dimension = "entity_id"
	ByParent Dimension = "parent_id" // the entity above at that time
	ByDay    Dimension = "day"
	ByGame   Dimension = "game_id"
)

// Query selects totals of one currency. The caller checks that the entity is in the scope of the user.
type Query struct {
	EntityID   uuid.UUID   // the entity with everything below it
	Children   bool        // instead of the entity the entities that were below it, one level
	Entities   []uuid.UUID // instead of EntityID these entities
	CurrencyID uuid.UUID
	From, To   businessday.Day // both included
	GameID     uuid.UUID       // Nil for all
	CategoryID uuid.UUID       // of the games; Nil for all
}

// Row is the sum of one group. A field is zero unless the rows are grouped by it. The numbers of tickets belong to no game:
// they are 0 if the query names a game or a category, and in a row with GameID Nil of their own if the rows are grouped by game.
type Row struct {
	EntityID uuid.UUID
	ParentID uuid.UUID
	Day      businessday.Day
	GameID   uuid.UUID
	Figures
}

// Sum returns the totals that a query selects, grouped by dimensions and in their order. Without dimensions it returns one row.
func (s *Service) Sum(ctx context.Context, q *Query, by ...Dimension) ([]Row, error) {
	return sum(ctx, s.pg.Pool, q, by...)
}

func sum(ctx context.Context, db storage.Querier, q *Query, by ...Dimension) ([]Row, error) {
	w := &storage.Where{}
	switch {
	case q.Entities != nil:
		w.And(`entity_id = ANY (` + w.Arg(storage.UUIDs(q.Entities)) + `)`)
	case q.Children:
		w.And(`parent_id = ` + w.Arg(q.EntityID))
	default:
		w.And(`entity_id = ` + w.Arg(q.EntityID))
	}
	w.And(`day BETWEEN ` + w.Arg(q.From) + ` AND ` + w.Arg(q.To))
	w.And(`currency_id = ` + w.Arg(q.CurrencyID))
	q.filterGames(w, "game_id")
	rows, err := db.Query(ctx, sumStatement(w, by), w.Args()...)
	if err != nil {
		return nil, fmt.Errorf("sum totals: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Row, err error) { return r, row.Scan(r.into(by)...) })
	if err != nil {
		return nil, fmt.Errorf("sum totals: %w", err)
	}
	return list, nil
}

// filterGames adds the conditions on the game of a row.
func (q *Query) filterGames(w *storage.Where, column string) {
	if q.GameID != uuid.Nil {
		w.And(column + ` = ` + w.Arg(q.GameID))
	}
	if q.CategoryID != uuid.Nil {
		w.And(column + ` IN (SELECT id FROM games WHERE category_id = ` + w.Arg(q.CategoryID) + `)`)
	}
}

func sumStatement(w *storage.Where, by []Dimension) string {
	groups := make([]string, len(by))
	for i, d := range by {
		groups[i] = string(d)
	}
	sql := `SELECT ` + strings.Join(append(slices.Clone(groups), sumsOf(columns)), `, `) + ` FROM daily_totals` + w.SQL()
	if len(groups) > 0 {
		list := strings.Join(groups, `, `)
		sql += ` GROUP BY ` + list + ` ORDER BY ` + list
	}
	return sql
}

// sumsOf returns the sums of columns for a SELECT.
func sumsOf(list string) string {
	return `coalesce(sum(` + strings.ReplaceAll(list, ", ", `), 0)::bigint, coalesce(sum(`) + `), 0)::bigint`
}

func (r *Row) into(by []Dimension) []any {
	var list []any
	for _, d := range by {
		switch d {
		case ByEntity:
			list = append(list, &r.EntityID)
		case ByParent:
			list = append(list, &r.ParentID)
		case ByDay:
			list = append(list, &r.Day)
		case ByGame:
			list = append(list, &r.GameID)
		}
	}
	return append(list, r.targets()...)
}
