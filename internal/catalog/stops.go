package catalog

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// onGameStop selects the draws of game $1 on sale at $2 whose stop is the game's, on any day, planned by hand or by
// the schedule.
const onGameStop = `game_id = $1 AND status IN ($3, $4) AND NOT sale_stop_explicit AND sale_stop_at > $2`

// restopped returns the draws of a span that follow the game's stop and do not have it yet.
func restopped(ctx context.Context, tx pgx.Tx, sp *span, now time.Time) ([]present, error) {
	if sp.stop == nil {
		return nil, nil
	}
	list, err := presentDraws(ctx, tx, onGameStop, sp.game, now, models.DrawScheduled, models.DrawOpen)
	if err != nil {
		return nil, err
	}
	var stale []present
	for i := range list {
		if !list[i].At.Add(-*sp.stop).Equal(list[i].Stop) {
			stale = append(stale, list[i])
		}
	}
	return stale, nil
}

// lockForChange takes the locks of draws, and returns them as they are under the locks, with the time of the
// decision. It is the only place of a change of draws that takes them: draws before draw rows.
func (s *Service) lockForChange(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) ([]present, time.Time, error) {
	if err := storage.LockDraws(ctx, tx, draws); err != nil {
		return nil, time.Time{}, err
	}
	now, err := storage.DecisionTime(ctx, tx, s.clock) // the locks may have taken a while
	if err != nil {
		return nil, time.Time{}, err
	}
	list, err := presentDraws(ctx, tx, `id = ANY ($1::uuid[]) FOR UPDATE`, storage.UUIDs(draws))
	return list, now, err
}

// restop adds the updates of the draws that change nothing but their stop. The new stop is the game's, and now where
// that has passed: a stop never moves to the past, so no ticket was sold after it. A draw whose sales are over keeps
// its stop.
func (m *moves) restop(list []present, stop time.Duration, now time.Time) {
	changed := map[uuid.UUID]bool{}
	for _, id := range m.touched() {
		changed[id] = true
	}
	for i := range list {
		p := &list[i]
		if p.Fixed || p.over(now) || changed[p.ID] {
			continue
		}
		want := plannedDraw{number: p.Number, date: p.Date, at: p.At, stop: p.At.Add(-stop), request: -1}
		if want.stop.Before(now) {
			want.stop = now
		}
		if want.stop.Equal(p.Stop) {
			continue
		}
		if p.Opens != nil {
			want.opens = *p.Opens
			if want.opens.After(want.stop) {
				want.opens = want.stop
			}
		}
		m.update, m.target = append(m.update, want), append(m.target, p.ID)
		m.counts.Updated++
		if m.spared[p.ID] {
			m.counts.Kept--
		}
	}
}

// lockSet returns the draws whose locks a change takes: those that it moves or deletes, and those whose stop is
// stale.
func (m *moves) lockSet(stale []present) []uuid.UUID {
	ids := m.touched()
	named := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		named[id] = true
	}
	for i := range stale {
		if !named[stale[i].ID] {
			ids = append(ids, stale[i].ID)
		}
	}
	return ids
}
