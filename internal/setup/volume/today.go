package volume

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// WriteToday writes the day of Options.Now up to that time: settled draws that have taken place, and about so many lines on them and on the draws of the
// day that the catalogue has planned and that are on sale. A ticket with a line on one of those is pending.
func (w *Writer) WriteToday(ctx context.Context, lines int) error {
	day := businessday.Of(w.Now, w.Zone)
	all, err := w.drawsOf(day)
	if err != nil {
		return err
	}
	planned, err := w.planned(ctx, day)
	if err != nil {
		return err
	}
	if w.Profile != nil {
		planned, err = w.withoutPast(ctx, planned)
		if err != nil {
			return err
		}
		lines = w.linesOf(day, lines)
	}
	known := map[drawKey]bool{}
	for i := range planned {
		known[planned[i].key()] = true
	}
	open := slices.DeleteFunc(planned, func(d draw) bool { return !d.open })
	if len(open) == 0 && w.Profile == nil {
		return fmt.Errorf("volume: no draw of %s is on sale", day)
	}
	unplanned := slices.DeleteFunc(all, func(d draw) bool { return known[d.key()] })
	stopped := w.stopped(unplanned)
	over := slices.DeleteFunc(unplanned, func(d draw) bool { return d.at.Add(saleStop).After(w.Now) })
	h := w.history(day, slices.Concat(open, stopped, over), lines/linesATicket)
	err = w.pg.InTx(ctx, func(tx pgx.Tx) error {
		if err := copyStopped(ctx, tx, stopped); err != nil {
			return err
		}
		if len(over) > 0 {
			if err := w.copyDraws(ctx, tx, over); err != nil {
				return err
			}
		}
		return h.copy(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("volume of %s: %w", day, err)
	}
	return nil
}

// withoutPast deletes the planned draws that have taken place since they were planned, so that they are written with their
// results. The others are open to the sales before their stops: the platform closes those that are due.
func (w *Writer) withoutPast(ctx context.Context, planned []draw) ([]draw, error) {
	var past storage.UUIDs
	planned = slices.DeleteFunc(planned, func(d draw) bool {
		over := !d.at.Add(saleStop).After(w.Now)
		if over {
			past = append(past, d.id)
		}
		return over
	})
	for i := range planned {
		planned[i].open = true
	}
	if _, err := w.pg.Pool.Exec(ctx, `DELETE FROM draws WHERE id = ANY($1)`, past); err != nil {
		return nil, fmt.Errorf("past draws: %w", err)
	}
	return planned, nil
}

// stopped returns the draws of a profile that the catalogue did not plan because their sale had stopped, and that are not over. They
// are open, so that the platform closes them and fetches their results.
func (w *Writer) stopped(unplanned []draw) (list []draw) {
	for _, d := range unplanned {
		if w.Profile != nil && d.at.Add(saleStop).After(w.Now) {
			d.value, d.open = "", true
			list = append(list, d)
		}
	}
	return list
}

// copyStopped inserts open draws whose sale has stopped.
func copyStopped(ctx context.Context, tx pgx.Tx, list []draw) error {
	return copyRows(ctx, tx, "draws", []string{
		"id", "game_id", "draw_number", "local_date", "draw_time", "sale_stop_at", "status", "created_at", "updated_at",
	}, len(list), func(i int) []any {
		d := &list[i]
		planned := d.at.AddDate(0, 0, -1)
		return []any{d.id, d.game.id, d.number, d.day.UTC(), d.at, d.at.Add(-saleStop), models.DrawOpen, planned, planned}
	})
}

// drawKey is what a draw is planned once for in a day.
type drawKey struct {
	game   uuid.UUID
	number string
}

func (d *draw) key() drawKey { return drawKey{d.game.id, d.number} }

// planned reads the planned draws of a day. The sale of some has ended where a long history was written meanwhile.
func (w *Writer) planned(ctx context.Context, day businessday.Day) ([]draw, error) {
	games := make(map[uuid.UUID]*game, len(w.games))
	for i := range w.games {
		games[w.games[i].id] = &w.games[i]
	}
	rows, err := w.pg.Pool.Query(ctx, `SELECT id, game_id, draw_number, draw_time, sale_stop_at > $3 FROM draws
		WHERE local_date = $1 AND status = $2 ORDER BY draw_time, id`, day, models.DrawOpen, w.Now)
	if err != nil {
		return nil, fmt.Errorf("planned draws: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d draw, err error) {
		var id uuid.UUID
		if err := row.Scan(&d.id, &id, &d.number, &d.at, &d.open); err != nil {
			return d, err
		}
		d.game, d.day = games[id], day
		return d, nil
	})
	if err != nil {
		return nil, fmt.Errorf("planned draws: %w", err)
	}
	return list, nil
}
