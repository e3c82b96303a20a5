package catalog_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/models"
	"banca/storage"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// shop is a catalogue of one game drawn at 09:00, 12:00 and 18:00 of Caracas; it is 10:00 on a Monday.
type shop struct {
	*catalog.Service
	env   *testkit.Env
	zone  *time.Location
	clock *clock.Fake
	game  uuid.UUID
	ctx   context.Context //nolint:containedctx // for properties, whose own context ends with each try
}

func setup(t testing.TB) *shop {
	t.Helper()
	env := testkit.New(t)
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	s := &shop{env: env, zone: zone, ctx: t.Context(), clock: clock.NewFake(time.Date(2026, 11, 23, 10, 0, 0, 0, zone)), game: uuid.Must(uuid.NewV7())}
	s.Service = s.on(env.PG)
	s.exec(t, `INSERT INTO game_categories (id, name, code) VALUES ($1, 'A', 'ANIMALITOS')`, s.game)
	s.exec(t, `INSERT INTO games (id, category_id, name, short_code, schedule_config) VALUES ($1, $1, 'G', 'g', '{"times": ["09:00", "12:00", "18:00"]}')`, s.game)
	return s
}

// on returns the shop's service over another client of its database.
func (s *shop) on(pg *storage.Postgres) *catalog.Service {
	return catalog.New(pg, s.clock, catalog.Options{Zone: s.zone, DaysAhead: 2, SaleStop: 5 * time.Minute, Pictures: s.env.Objects})
}

func (s *shop) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
	s.Forget()
}

func (s *shop) generate(t testing.TB) int {
	t.Helper()
	n, err := s.Generate(t.Context())
	require.NoError(t, err)
	return n
}

// all lists draws as "local date #number at UTC time, stop".
func (s *shop) all(t testing.TB, filter catalog.DrawFilter) []string {
	t.Helper()
	filter.Limit = 200
	draws, total, err := s.Draws(t.Context(), filter)
	require.NoError(t, err)
	require.EqualValues(t, len(draws), total)
	var list []string
	for _, d := range draws {
		list = append(list, d.LocalDate.String()+" #"+d.Number+" "+d.Time.Format("01-02 15:04")+" stop "+d.SaleStopAt.Format("15:04"))
	}
	return list
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	s := setup(t)
	require.Equal(t, 8, s.generate(t))
	want := []string{ // nine o'clock is over
		"2026-11-23 #2 11-23 16:00 stop 15:55", "2026-11-23 #3 11-23 22:00 stop 21:55",
		"2026-11-24 #1 11-24 13:00 stop 12:55", "2026-11-24 #2 11-24 16:00 stop 15:55", "2026-11-24 #3 11-24 22:00 stop 21:55",
		"2026-11-25 #1 11-25 13:00 stop 12:55", "2026-11-25 #2 11-25 16:00 stop 15:55", "2026-11-25 #3 11-25 22:00 stop 21:55",
	}
	require.Equal(t, want, s.all(t, catalog.DrawFilter{}))
	require.Equal(t, want, s.all(t, catalog.DrawFilter{Status: models.DrawOpen, GameID: s.game}))
	require.Equal(t, want[2:5], s.all(t, catalog.DrawFilter{Date: day(24)}))
	require.Zero(t, s.generate(t), "repeating it adds nothing")
	require.Equal(t, want, s.all(t, catalog.DrawFilter{}))

	s.clock.Advance(24 * time.Hour)
	require.Equal(t, 3, s.generate(t), "one day more")
	require.Len(t, s.all(t, catalog.DrawFilter{}), 11)
	require.Len(t, s.all(t, catalog.DrawFilter{Status: models.DrawOpen}), 8, "those past their stop are not open, whatever their status")
}

// A draw whose sales stop at this very instant is not made any more.
func TestGenerateNothingPastItsStop(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.clock.Advance(115 * time.Minute) // 11:55
	require.Equal(t, 7, s.generate(t))
	require.Equal(t, "2026-11-23 #3 11-23 22:00 stop 21:55", s.all(t, catalog.DrawFilter{})[0])
}

func TestGenerateKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := setup(t)
	own := uuid.Must(uuid.NewV7())
	s.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status)
		VALUES ($1, $2, 'ESPECIAL-1', '2026-11-23', '2026-11-23 20:00Z', '2026-11-23 19:00Z', 'open'), (gen_random_uuid(), $2, '2', '2026-11-24', '2026-11-24 17:00Z', '2026-11-24 16:00Z', 'suspended')`,
		own, s.game)
	require.Equal(t, 7, s.generate(t))
	list := s.all(t, catalog.DrawFilter{})
	require.Contains(t, list, "2026-11-23 #ESPECIAL-1 11-23 20:00 stop 19:00")
	require.Contains(t, list, "2026-11-24 #2 11-24 17:00 stop 16:00")
	require.Len(t, list, 9)
	draw, err := s.Draw(t.Context(), own)
	require.NoError(t, err)
	require.True(t, draw.OpenAt(draw.SaleStopAt.Add(-time.Nanosecond)))
	require.False(t, draw.OpenAt(draw.SaleStopAt))
}

func TestGenerateByTheGamesOwnStop(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.exec(t, `UPDATE games SET sale_stop_seconds = 0`)
	require.Equal(t, 8, s.generate(t))
	require.Equal(t, "2026-11-23 #2 11-23 16:00 stop 16:00", s.all(t, catalog.DrawFilter{})[0])
	s.exec(t, `DELETE FROM draws`)
	s.exec(t, `UPDATE games SET status = 'suspended'`)
	require.Zero(t, s.generate(t), "a game that is not active has no new draws")
}

func TestUnknownGamesAndDraws(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.Draw(t.Context(), uuid.New())
	require.ErrorIs(t, err, catalog.ErrDrawNotFound)
	_, err = s.Game(t.Context(), uuid.New())
	require.ErrorIs(t, err, catalog.ErrGameNotFound)
}

// Times are local, across changes to summer time, and a draw may have a number of its own.
func TestGenerateInAZoneWithSummerTime(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.clock.Advance(time.Date(2027, 3, 13, 12, 0, 0, 0, time.UTC).Sub(s.clock.Now())) // New York changes on the 14th
	s.exec(t, `UPDATE games SET sale_stop_seconds = 600, schedule_config = '{"time_zone": "America/New_York", "open_hours_before": 12, "times": ["02:30", {"time": "20:00", "number": "NOCHE"}]}'`)
	require.Equal(t, 5, s.generate(t), "one of the first day is over")
	require.Equal(t, []string{
		"2027-03-13 #NOCHE 03-14 01:00 stop 00:50",
		"2027-03-14 #1 03-14 06:30 stop 06:20", // 02:30 does not exist that night; it is 01:30
		"2027-03-14 #NOCHE 03-15 00:00 stop 23:50",
		"2027-03-15 #1 03-15 06:30 stop 06:20",
		"2027-03-15 #NOCHE 03-16 00:00 stop 23:50",
	}, s.all(t, catalog.DrawFilter{Status: models.DrawScheduled}))
	d, _, err := s.Draws(t.Context(), catalog.DrawFilter{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, d[0].Time.Add(-12*time.Hour), d[0].OpensAt)
	var tasks int
	require.NoError(t, s.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM outbox o JOIN draws d ON o.payload->>'draw_id' = d.id::text AND o.process_at = d.sale_stop_at WHERE o.kind = 'draw.close'`).Scan(&tasks))
	require.Equal(t, 5, tasks)
	require.Zero(t, s.generate(t))
}
