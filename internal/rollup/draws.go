package rollup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// DrawRow is the sum of the events of one draw in a period. The numbers of tickets are 0.
type DrawRow struct {
	DrawID     uuid.UUID
	GameID     uuid.UUID
	DrawNumber string
	DrawTime   time.Time
	Figures
}

// SumDraws returns the totals that a query selects by draw, in the order of draw times. The query names one game.
// path is the path of the entity: the totals are of the tickets that were sold there or below.
func (s *Service) SumDraws(ctx context.Context, q *Query, path string) ([]DrawRow, error) {
	w := &storage.Where{}
	w.And(`x.game_id = ` + w.Arg(q.GameID))
	w.And(`x.day BETWEEN ` + w.Arg(q.From) + ` AND ` + w.Arg(q.To))
	w.And(`x.currency_id = ` + w.Arg(q.CurrencyID))
	w.And(`x.path_id IN (SELECT id FROM entity_paths WHERE starts_with(path, ` + w.Arg(path) + `))`)
	rows, err := s.pg.Pool.Query(ctx, `SELECT d.id, d.game_id, d.draw_number, d.draw_time, 0::bigint, 0::bigint, `+figuresOf("s")+` FROM (
			SELECT x.draw_id, `+sumsOf(lineColumns)+` FROM draw_totals x`+w.SQL()+` GROUP BY x.draw_id
		) s (draw_id, `+lineColumns+`) JOIN draws d ON d.id = s.draw_id ORDER BY d.draw_time, d.id`, w.Args()...)
	if err != nil {
		return nil, fmt.Errorf("sum totals of draws: %w", err)
	}
	list, err := pgx.CollectRows(rows, scanDraw)
	if err != nil {
		return nil, fmt.Errorf("sum totals of draws: %w", err)
	}
	return list, nil
}

// SumOfDraws returns the totals of draws in a currency over all days, by draw. path is the path of the entity: the
// totals are of the tickets that were sold there or below. For the operator path is "". A draw without sales is
// missing.
//
// Each draw is summed alone: the planner expects more draws than there are, and sorts all their rows on the disk to
// group them.
func (s *Service) SumOfDraws(
	ctx context.Context, draws []uuid.UUID, currency uuid.UUID, path string,
) (map[uuid.UUID]Figures, error) {
	w := &storage.Where{}
	list := w.Arg(storage.UUIDs(draws))
	w.And(`x.draw_id = d.id`)
	w.And(`x.currency_id = ` + w.Arg(currency))
	if path != "" {
		places, err := s.placesBelow(ctx, path)
		if err != nil {
			return nil, err
		}
		w.And(`x.path_id = ANY (` + w.Arg(places) + `::integer[])`)
	}
	rows, err := s.pg.Pool.Query(ctx, `SELECT d.id, 0::bigint, 0::bigint, `+figuresOf("s")+` FROM unnest(`+list+`::uuid[]) AS d (id), LATERAL (
			SELECT count(*) AS n, `+sumsOf(lineColumns)+` FROM draw_totals x`+w.SQL()+`
		) s (n, `+lineColumns+`) WHERE s.n > 0`, w.Args()...)
	if err != nil {
		return nil, fmt.Errorf("sum totals of draws: %w", err)
	}
	sums := make(map[uuid.UUID]Figures, len(draws))
	var draw uuid.UUID
	var f Figures
	_, err = pgx.ForEachRow(rows, append([]any{&draw}, f.targets()...), func() error { sums[draw] = f; return nil })
	if err != nil {
		return nil, fmt.Errorf("sum totals of draws: %w", err)
	}
	return sums, nil
}

// placesBelow returns the ids of the paths of an entity and of those below it.
func (s *Service) placesBelow(ctx context.Context, path string) (ids storage.Integers, err error) {
	rows, err := s.pg.Pool.Query(ctx, `SELECT id FROM entity_paths WHERE starts_with(path, $1)`, path)
	if err != nil {
		return nil, fmt.Errorf("read paths: %w", err)
	}
	if ids, err = pgx.CollectRows(rows, pgx.RowTo[int32]); err != nil {
		return nil, fmt.Errorf("read paths: %w", err)
	}
	return ids, nil
}

// SoldDraws returns the draws, of the given ones, on which tickets were sold at the entity with a path or below it.
func (s *Service) SoldDraws(ctx context.Context, draws []uuid.UUID, path string) (map[uuid.UUID]bool, error) {
	rows, err := s.pg.Pool.Query(ctx, `SELECT DISTINCT x.draw_id FROM draw_totals x JOIN entity_paths p ON p.id = x.path_id
		WHERE x.draw_id = ANY ($1) AND starts_with(p.path, $2)`, storage.UUIDs(draws), path)
	if err != nil {
		return nil, fmt.Errorf("find sold draws: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("find sold draws: %w", err)
	}
	sold := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		sold[id] = true
	}
	return sold, nil
}

func scanDraw(row pgx.CollectableRow) (r DrawRow, err error) {
	figures := r.targets()
	into := append([]any{&r.DrawID, &r.GameID, &r.DrawNumber, &r.DrawTime}, figures...)
	err = row.Scan(into...)
	r.DrawTime = r.DrawTime.UTC()
	return r, err
}

// figuresOf returns the columns of figures of a table for a SELECT.
func figuresOf(table string) string {
	return table + `.` + strings.ReplaceAll(lineColumns, ", ", `, `+table+`.`)
}
