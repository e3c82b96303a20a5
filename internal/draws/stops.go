package draws

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/realtime"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Where neither a draw nor its game says when sales stop, entities may set an earlier stop for all below them. The
// draw stays open for the others, so its sellers get draw.closed at their own stop, by a task for each entity that sets one.

// stopsAhead is how long before such a stop its task is enqueued: two runs of the sweep.
const stopsAhead = 30 * time.Second

// maxStops bounds the stops of one sweep.
const maxStops = 1_000

// earlierStops are the stops in ($2, $3] of open draws for entities n that set one earlier than the draw's.
const earlierStops = `SELECT d.id, n.id, d.draw_time - make_interval(secs => n.seconds)
	FROM (SELECT id, (config_info ->> 'sale_stop_seconds')::int AS seconds FROM entities WHERE jsonb_typeof(config_info -> 'sale_stop_seconds') = 'number') n
	CROSS JOIN draws d JOIN games g ON g.id = d.game_id
	WHERE d.status = $1 AND d.sale_stop_at > $2 AND NOT d.sale_stop_explicit AND g.sale_stop_seconds IS NULL
		AND d.draw_time - make_interval(secs => n.seconds) > $2 AND d.draw_time - make_interval(secs => n.seconds) <= $3
		AND d.draw_time - make_interval(secs => n.seconds) < d.sale_stop_at
	ORDER BY 3 LIMIT $4`

// ScheduleStops enqueues the announcements of the earlier stops that are due soon, and returns how many were not
// enqueued yet. Safe to repeat: a task's id is made of draw, entity and instant.
func (s *Service) ScheduleStops(ctx context.Context) (int, error) {
	now := s.Clock.Now()
	rows, err := s.PG.Pool.Query(ctx, earlierStops, models.DrawOpen, now.Add(-stopsAhead/2), now.Add(stopsAhead), maxStops)
	if err != nil {
		return 0, fmt.Errorf("earlier stops: %w", err)
	}
	var due []outbox.Row
	var draw, entity uuid.UUID
	var stop time.Time
	_, err = pgx.ForEachRow(rows, []any{&draw, &entity, &stop}, func() error {
		id := uuid.NewSHA1(draw, []byte(tasks.DrawStop{}.Kind()+entity.String()+strconv.FormatInt(stop.UnixMicro(), 10)))
		row, err := outbox.NewRow(tasks.DrawStop{DrawID: draw.String(), EntityID: entity.String()}, outbox.At(stop), outbox.WithID(id))
		due = append(due, row)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("earlier stops: %w", err)
	}
	fresh, err := outbox.EnqueueOnce(ctx, s.PG.Pool, due...)
	if fresh > 0 {
		s.Wake()
	}
	return int(fresh), err
}

// AnnounceStop publishes draw.closed to the sellers that inherit an earlier stop from an entity, once it passes. It does
// nothing if the draw is not open any more, or if draw, game or entity have another stop meanwhile.
func (s *Service) AnnounceStop(ctx context.Context, draw, entity uuid.UUID) error {
	d := &realtime.ClosedDraw{DrawID: draw}
	var path string
	err := s.PG.Pool.QueryRow(ctx, `SELECT d.game_id, d.draw_number, d.draw_time - make_interval(secs => (n.config_info ->> 'sale_stop_seconds')::int), n.path
		FROM draws d JOIN games g ON g.id = d.game_id JOIN entities n ON n.id = $2
		WHERE d.id = $1 AND d.status = $3 AND NOT d.sale_stop_explicit AND g.sale_stop_seconds IS NULL
			AND jsonb_typeof(n.config_info -> 'sale_stop_seconds') = 'number'`, draw, entity, models.DrawOpen).
		Scan(&d.GameID, &d.Number, &d.ClosedAt, &path)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stop of draw %s for entity %s: %w", draw, entity, err)
	}
	d.ClosedAt = d.ClosedAt.UTC()
	left := d.ClosedAt.Sub(s.Clock.Now())
	if left > earlyBy { // the stop was moved; the sweep enqueues the new one
		return nil
	}
	if left > 0 {
		if err := s.Sleep(ctx, left); err != nil {
			return err
		}
	}
	to := realtime.Below(path)
	if to.Except, err = s.ids(ctx, `SELECT id FROM entities WHERE path LIKE $1 AND id <> $2 AND jsonb_typeof(config_info -> 'sale_stop_seconds') = 'number'
		ORDER BY path LIMIT $3`, storage.Below(path), entity, realtime.MaxExcept); err != nil {
		return fmt.Errorf("entities with a stop of their own: %w", err)
	}
	s.Events.Publish(ctx, to, realtime.EventOf(d.ClosedAt, d))
	return nil
}
