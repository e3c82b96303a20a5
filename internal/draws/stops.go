package draws

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// If neither a draw nor its game sets a sale stop, entities may set an earlier stop for their subtree. The draw stays
// open for other entities. The sellers of the subtree get the event draw.closed at the earlier stop, from a task for
// each entity that sets one.

// stopsAhead is how long before such a stop its task is enqueued: two intervals of the sweep.
const stopsAhead = 30 * time.Second

// stopsPerPage bounds the stops that one query reads.
const stopsPerPage = 1_000

// earlierStops selects, in order, the stops of open draws that an entity n sets earlier than the draw's own stop, after
// the stop ($2, $5, $6) and up to $3.
const earlierStops = `SELECT d.id, n.id, d.draw_time - make_interval(secs => n.seconds)
	FROM (SELECT id, (config_info ->> 'sale_stop_seconds')::int AS seconds FROM entities WHERE jsonb_typeof(config_info -> 'sale_stop_seconds') = 'number') n
	CROSS JOIN draws d JOIN games g ON g.id = d.game_id
	WHERE d.status = $1 AND d.sale_stop_at > $2 AND ` + catalog.StopInherited + `
		AND d.draw_time - make_interval(secs => n.seconds) >= $2 AND d.draw_time - make_interval(secs => n.seconds) <= $3
		AND (d.draw_time - make_interval(secs => n.seconds), d.id, n.id) > ($2, $5::uuid, $6::uuid)
		AND d.draw_time - make_interval(secs => n.seconds) < d.sale_stop_at
	ORDER BY 3, 1, 2 LIMIT $4`

// entityStop is the stop of a draw for an entity and the entities that inherit it.
type entityStop struct {
	draw, entity uuid.UUID
	at           time.Time
}

// ScheduleStops enqueues the announcements of the earlier stops that are due soon, and returns the number that it
// added. It is idempotent: the id of a task is derived from draw, entity and instant.
func (s *Service) ScheduleStops(ctx context.Context) (int, error) {
	now := s.Clock.Now()
	last, until := entityStop{at: now.Add(-stopsAhead / 2)}, now.Add(stopsAhead)
	total := 0
	for {
		page, err := s.nextStops(ctx, last, until)
		if err != nil || len(page) == 0 {
			return total, err
		}
		fresh, err := s.enqueueStops(ctx, page)
		total += fresh
		if err != nil || len(page) < stopsPerPage {
			return total, err
		}
		last = page[len(page)-1]
	}
}

// nextStops reads the page of stops after last.
func (s *Service) nextStops(ctx context.Context, last entityStop, until time.Time) ([]entityStop, error) {
	rows, err := s.PG.Pool.Query(ctx, earlierStops, models.DrawOpen, last.at, until, stopsPerPage, last.draw, last.entity)
	if err != nil {
		return nil, fmt.Errorf("earlier stops: %w", err)
	}
	var page []entityStop
	var next entityStop
	_, err = pgx.ForEachRow(rows, []any{&next.draw, &next.entity, &next.at}, func() error {
		page = append(page, next)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("earlier stops: %w", err)
	}
	return page, nil
}

// enqueueStops enqueues the announcements of a page and returns the number that it added.
func (s *Service) enqueueStops(ctx context.Context, page []entityStop) (int, error) {
	due := make([]outbox.Row, len(page))
	for i, stop := range page {
		id := uuid.NewSHA1(stop.draw, []byte(tasks.DrawStop{}.Spec().Kind+stop.entity.String()+strconv.FormatInt(stop.at.UnixMicro(), 10)))
		row, err := outbox.NewRow(tasks.DrawStop{DrawID: stop.draw, EntityID: stop.entity}, outbox.At(stop.at), outbox.WithID(id))
		if err != nil {
			return 0, err
		}
		due[i] = row
	}
	fresh, err := outbox.EnqueueOnce(ctx, s.PG.Pool, due...)
	if fresh > 0 {
		s.Wake()
	}
	return int(fresh), err
}

// EntityStop names the stop of a draw that an entity sets for the sellers below it.
type EntityStop struct{ DrawID, EntityID uuid.UUID }

// AnnounceStop publishes draw.closed to the sellers that inherit an earlier stop from an entity, when the stop passes.
// It does nothing if the draw is no longer open, or if the stop has changed.
func (s *Service) AnnounceStop(ctx context.Context, stop EntityStop) error {
	d := &realtime.ClosedDraw{DrawID: stop.DrawID}
	var path string
	err := s.PG.Pool.QueryRow(ctx, `SELECT d.game_id, d.draw_number, d.draw_time - make_interval(secs => (n.config_info ->> 'sale_stop_seconds')::int), n.path
		FROM draws d JOIN games g ON g.id = d.game_id JOIN entities n ON n.id = $2
		WHERE d.id = $1 AND d.status = $3 AND `+catalog.StopInherited+`
			AND jsonb_typeof(n.config_info -> 'sale_stop_seconds') = 'number'`, stop.DrawID, stop.EntityID, models.DrawOpen).
		Scan(&d.GameID, &d.Number, &d.ClosedAt, &path)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop of draw %s for entity %s: %w", stop.DrawID, stop.EntityID, err)
	}
	d.ClosedAt = d.ClosedAt.UTC()
	left := d.ClosedAt.Sub(s.Clock.Now())
	if left > earlyTolerance { // the stop was moved; the sweep enqueues the new one
		return nil
	}
	if left > 0 {
		if err := s.Sleep(ctx, left); err != nil {
			return err
		}
	}
	scope, err := caller.ParseScope(path)
	if err != nil {
		return err
	}
	to := realtime.Below(path)
	if to.Except, err = s.ids(ctx, `SELECT id FROM entities WHERE path LIKE $1 AND id <> $2 AND jsonb_typeof(config_info -> 'sale_stop_seconds') = 'number'
		ORDER BY path LIMIT $3`, scope.Pattern(), stop.EntityID, realtime.MaxExcept); err != nil {
		return fmt.Errorf("entities with a stop of their own: %w", err)
	}
	s.Events.Publish(ctx, to, realtime.EventOf(d.ClosedAt, d))
	return nil
}
