package draws_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/realtime"
	"banca/internal/setup/seed"
)

// Sellers that inherit an earlier stop get draw.closed at it, once; those below an entity with a stop of its own do
// not.
func TestDrawClosedAtAnInheritedStop(t *testing.T) {
	t.Parallel()
	h := setup(t)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	agency, group, point := seed.ID("entity", seed.CodeAgency), seed.ID("entity", seed.CodeGroup), seed.ID("entity", seed.CodeTicketPoint)
	h.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 1800}' WHERE id = $1`, agency)
	h.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 600}' WHERE id = $1`, group)
	pathOf := func(id uuid.UUID) string { return h.Text(t, `SELECT path FROM entities WHERE id = $1`, id) }
	schedule := func() int {
		t.Helper()
		n, err := h.ScheduleStops(t.Context())
		require.NoError(t, err)
		return n
	}
	h.Exec(t, `UPDATE draws SET sale_stop_explicit = true WHERE id <> $1`, draw.ID)
	require.Zero(t, schedule())

	h.Clock.Advance(draw.Time.Add(-30*time.Minute - 10*time.Second).Sub(h.Clock.Now()))
	require.Equal(t, 1, schedule())
	require.Zero(t, schedule(), "once")
	require.Equal(t, agency.String(), h.Text(t, `SELECT payload ->> 'entity_id' FROM outbox WHERE kind = 'draw.stop' AND process_at = $1`, draw.Time.Add(-30*time.Minute)))
	require.NoError(t, h.AnnounceStop(t.Context(), draws.EntityStop{DrawID: draw.ID, EntityID: agency}))
	require.Zero(t, h.news.named(realtime.DrawClosed), "too early: the stop was moved on")

	h.Clock.Advance(10 * time.Second)
	require.NoError(t, h.AnnounceStop(t.Context(), draws.EntityStop{DrawID: draw.ID, EntityID: agency}))
	require.Equal(t, 1, h.news.named(realtime.DrawClosed))
	to := h.news.to[0]
	require.True(t, to.Includes(pathOf(agency)))
	require.False(t, to.Includes(pathOf(group)), "it has a stop of its own")
	require.False(t, to.Includes(pathOf(point)), "and so does what is below")
	require.False(t, to.Includes(pathOf(fixture.RootID)))
	require.Equal(t, draw.Time.Add(-30*time.Minute), h.news.events[0].At)

	h.Exec(t, `UPDATE draws SET sale_stop_explicit = true`)
	require.NoError(t, h.AnnounceStop(t.Context(), draws.EntityStop{DrawID: draw.ID, EntityID: agency}))
	require.Equal(t, 1, h.news.named(realtime.DrawClosed), "a stop given for the draw wins meanwhile")
}

// More stops than one page holds are all enqueued by one sweep: the next one comes when most of them have passed.
func TestAllInheritedStopsOfAnInstantAreEnqueued(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const entities = 2_300
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.Exec(t, `UPDATE draws SET sale_stop_explicit = true WHERE id <> $1`, draw.ID)
	h.Exec(t, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, config_info)
		SELECT n.id, 'AGENCY', 'A' || n.no, 'STOP' || n.no, $1::uuid, '/' || $1::uuid::text || '/' || n.id || '/', '{"sale_stop_seconds": 1800}'
		FROM (SELECT gen_random_uuid() AS id, no FROM generate_series(1, $2::integer) no) n`, fixture.RootID, entities)
	h.Clock.Advance(draw.Time.Add(-30*time.Minute - 10*time.Second).Sub(h.Clock.Now()))
	n, err := h.ScheduleStops(t.Context())
	require.NoError(t, err)
	require.Equal(t, entities, n)
	n, err = h.ScheduleStops(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "once")
}
