package catalog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/platform/businessday"
	"banca/models"
)

// breakable returns a shop with its draws, and its service over connections that break.
func breakable(t *testing.T) (*shop, *catalog.Service, *testkit.Breaker) {
	t.Helper()
	s := stock(t)
	require.Equal(t, 8, s.generate(t))
	breaker := s.env.Breaker(t)
	return s, s.on(breaker.PG), breaker
}

// Each change of the catalogue is made as a whole: a connection that breaks at any of its statements leaves every row, of
// the activity log and of the outbox, too, as it was, and the same change succeeds afterwards.
func TestAChangeThatBreaksAnywhereChangesNothing(t *testing.T) {
	t.Parallel()
	s, broken, breaker := breakable(t)
	ctx := t.Context()

	category, err := s.CreateCategory(ctx, &catalog.CategoryChange{Name: new("Loto"), Code: new("LOTO")})
	require.NoError(t, err)
	extra, err := s.CreateGame(ctx, newGame(s, "extra"))
	require.NoError(t, err)
	draws := []catalog.DrawSpec{{Number: "HAND", Time: day(24).At(20, 0, time.UTC)}}
	for _, change := range []struct {
		name  string
		least int // statements, without which the test would break nothing that matters
		do    func() error
	}{
		{"create a category", 5, func() error {
			_, err := broken.CreateCategory(ctx, &catalog.CategoryChange{Name: new("Ruleta"), Code: new("RULETA")})
			return err
		}},
		{"change a category", 6, func() error {
			_, err := broken.UpdateCategory(ctx, category.ID, &catalog.CategoryChange{Name: new("Lotto")})
			return err
		}},
		{"delete a category", 6, func() error { return broken.DeleteCategory(ctx, category.ID) }},
		{"create a game", 9, func() error {
			_, err := broken.CreateGame(ctx, newGame(s, "made"))
			return err
		}},
		{"move a game", 9, func() error {
			_, err := broken.UpdateGame(ctx, extra.ID, &catalog.GameChange{Position: new(0)})
			return err
		}},
		{"change rules and schedule", 12, func() error {
			_, err := broken.UpdateGame(ctx, s.game, &catalog.GameChange{SaleStop: new(new(600)), Documents: fields(
				catalog.FieldRules, `{"bet_types":[{"type":"straight","payout":"3"}]}`, catalog.FieldSchedule, `{"times":["10:30","19:00"],"open_hours_before":3}`,
			)})
			return err
		}},
		{"suspend a game", 5, func() error {
			_, err := broken.SetGameStatus(ctx, s.game, models.StatusSuspended)
			return err
		}},
		{"activate a game", 5, func() error {
			_, err := broken.SetGameStatus(ctx, s.game, models.StatusActive)
			return err
		}},
		{"add elements", 8, func() error {
			_, err := broken.AddElements(ctx, s.game, grid("5", "05"))
			return err
		}},
		{"retire an element", 8, func() error {
			_, err := broken.UpdateElement(ctx, s.game, "5", &catalog.ElementChange{Retired: new(true)})
			return err
		}},
		{"synchronise a game", 12, func() error {
			_, err := broken.SyncGame(ctx, s.game, &catalog.Sync{Grid: *grid("0", "00", "7"), Schedule: []byte(`{"times":["12:00"]}`)})
			return err
		}},
		{"plan a day by hand", 8, func() error {
			_, err := broken.SyncDraws(ctx, s.game, &catalog.DrawSync{From: day(24), To: day(24), Draws: draws})
			return err
		}},
		{"give a day back to the schedule", 8, func() error {
			_, err := broken.SyncDraws(ctx, s.game, &catalog.DrawSync{From: day(24), To: day(24), BySchedule: true})
			return err
		}},
		{"delete a game", 9, func() error { return broken.DeleteGame(ctx, extra.ID) }},
	} {
		before := s.state(t)
		breaks := breaker.Each(t, change.do, func(err error) {
			if after := s.state(t); after != before {
				require.Failf(t, "a broken change changed something", "%s: %v", change.name, err)
			}
		})
		require.GreaterOrEqual(t, breaks, change.least, change.name)
		require.NotEqual(t, before, s.state(t), change.name)
	}
}

// Draws of several games are generated game by game: a break leaves whole games behind, and the next run adds the others.
func TestAGenerationThatBreaksIsContinued(t *testing.T) {
	t.Parallel()
	s := stock(t)
	for _, code := range []string{"b", "c"} {
		ch := newGame(s, code)
		ch.Documents = fields(catalog.FieldSchedule, `{"times":["11:00","19:00"]}`)
		_, err := s.CreateGame(t.Context(), ch)
		require.NoError(t, err)
	}
	s.exec(t, `DELETE FROM draws`) // a new game has its draws at once
	s.exec(t, `DELETE FROM outbox`)
	breaker := s.env.Breaker(t)
	broken := s.on(breaker.PG)
	breaks := breaker.Each(t, func() error {
		_, err := broken.Generate(t.Context())
		return err
	}, func(error) {
		require.Zero(t, s.count(t, `SELECT count(*) FROM (SELECT count(*) AS draws FROM draws GROUP BY game_id) g WHERE draws NOT IN (6, 8)`))
		require.Zero(t, s.unclosed(t), "each draw has the task that closes it")
	})
	require.Greater(t, breaks, 10)
	require.Equal(t, 8+6+6, s.count(t, `SELECT count(*) FROM draws`))
	require.Zero(t, s.unclosed(t))
	require.Zero(t, s.generate(t))
}

// Reads report a connection that breaks; none of them returns a part.
func TestReadsReportABrokenConnection(t *testing.T) {
	t.Parallel()
	s, broken, breaker := breakable(t)
	ctx := t.Context()
	from := businessday.Of(s.clock.Now(), s.zone)
	var games []*catalog.Game
	var draws []*catalog.Draw
	for name, read := range map[string]func() error{
		"games":      func() (err error) { broken.Forget(); games, err = broken.Games(ctx); return err },
		"draws":      func() (err error) { draws, _, err = broken.Draws(ctx, catalog.DrawFilter{Limit: 50}); return err },
		"calendar":   func() error { _, err := broken.Calendar(ctx, s.game, from, from.AddDays(3)); return err },
		"categories": func() error { _, err := broken.AllCategories(ctx); return err },
		"codes":      func() error { _, err := broken.Categories(ctx); return err },
		"elements":   func() error { _, err := broken.Elements(ctx, s.game, true); return err },
		"versions":   func() error { _, err := broken.RuleVersions(ctx, s.game); return err },
		"short code": func() error { _, err := broken.CodeTaken(ctx, "g"); return err },
	} {
		require.Positive(t, breaker.Each(t, read, func(err error) {
			require.NotErrorIs(t, err, catalog.ErrGameNotFound, "%s: a broken connection is no answer", name)
			require.Empty(t, games, name)
			require.Empty(t, draws, name)
		}), name)
		games, draws = nil, nil
	}
}

// The calendar counts the draws of each day by status and marks the days planned by hand, also those without a draw.
func TestTheCalendarOfAGame(t *testing.T) {
	t.Parallel()
	s := stock(t)
	require.Equal(t, 8, s.generate(t))
	s.exec(t, `UPDATE draws SET status = 'suspended' WHERE local_date = '2026-11-24' AND draw_number = '1'`)
	_, err := s.SyncDraws(t.Context(), s.game, &catalog.DrawSync{From: day(25), To: day(26)}) // two days without draws
	require.NoError(t, err)
	days, err := s.Calendar(t.Context(), s.game, day(22), day(27))
	require.NoError(t, err)
	require.Equal(t, []catalog.PlannedDay{
		{Date: day(23), Counts: map[string]int{models.DrawOpen: 2}},
		{Date: day(24), Counts: map[string]int{models.DrawOpen: 2, models.DrawSuspended: 1}},
		{Date: day(25), Counts: map[string]int{}, ByHand: true},
		{Date: day(26), Counts: map[string]int{}, ByHand: true},
	}, days)
	days, err = s.Calendar(t.Context(), s.game, day(24), day(24))
	require.NoError(t, err)
	require.Len(t, days, 1, "both ends are included")
	empty, err := s.CreateGame(t.Context(), newGame(s, "empty"))
	require.NoError(t, err)
	days, err = s.Calendar(t.Context(), empty.ID, day(22), day(27))
	require.NoError(t, err)
	require.Empty(t, days, "of this game only")
}
