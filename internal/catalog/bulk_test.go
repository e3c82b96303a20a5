package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/models"
)

// drawState is a draw of the model.
type drawState struct {
	at, stop, opens string
	status          string
	sold            bool
}

// model reads the draws as a map by date and number, as the brute-force model keeps them.
func (s *shop) model(t require.TestingT) map[string]drawState {
	rows, err := s.env.PG.Pool.Query(s.ctx, `SELECT local_date::text || ' ' || draw_number, draw_time, sale_stop_at, opens_at, status,
		EXISTS (SELECT 1 FROM ticket_items WHERE draw_id = d.id) FROM draws d`)
	require.NoError(t, err)
	all := map[string]drawState{}
	for rows.Next() {
		var key, status string
		var at, stop time.Time
		var opens *time.Time
		var sold bool
		require.NoError(t, rows.Scan(&key, &at, &stop, &opens, &status, &sold))
		all[key] = drawState{at: stamp(at), stop: stamp(stop), status: status, sold: sold}
		if opens != nil {
			d := all[key]
			d.opens = stamp(*opens)
			all[key] = d
		}
	}
	require.NoError(t, rows.Err())
	return all
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// wish returns a random set of draws for a range of days.
func randomSync(t *rapid.T) *catalog.DrawSync {
	from := rapid.IntRange(24, 27).Draw(t, "from")
	req := &catalog.DrawSync{From: day(from), To: day(from + rapid.IntRange(0, 2).Draw(t, "days"))}
	for date := req.From; !date.After(req.To); date = date.AddDays(1) {
		for _, number := range []string{"1", "2", "A1"} {
			if !rapid.Bool().Draw(t, "named") {
				continue
			}
			d := catalog.DrawSpec{Number: number, Time: date.At(rapid.IntRange(14, 16).Draw(t, "hour"), 0, time.UTC)}
			if rapid.Bool().Draw(t, "own stop") {
				d.SaleStopAt = d.Time.Add(-time.Hour)
			}
			if rapid.IntRange(0, 4).Draw(t, "opens") == 0 {
				d.OpensAt = d.Time.Add(-3 * time.Hour)
			}
			d.Status = rapid.SampledFrom([]string{"", "", models.DrawOpen, models.DrawScheduled}).Draw(t, "status")
			req.Draws = append(req.Draws, d)
		}
	}
	return req
}

// expect returns the model's draws after a request and the counts, or a refusal.
func expect(have map[string]drawState, req *catalog.DrawSync) (map[string]drawState, catalog.DrawCounts, bool) {
	var counts catalog.DrawCounts
	after, wanted := map[string]drawState{}, map[string]drawState{}
	for i := range req.Draws {
		d := &req.Draws[i]
		want := drawState{at: stamp(d.Time), stop: stamp(d.Time.Add(-5 * time.Minute)), status: d.Status}
		if !d.SaleStopAt.IsZero() {
			want.stop = stamp(d.SaleStopAt)
		}
		if !d.OpensAt.IsZero() {
			want.opens = stamp(d.OpensAt)
		}
		wanted[d.Time.Format(time.DateOnly)+" "+d.Number] = want
	}
	for key, is := range have {
		date, _, _ := strings.Cut(key, " ")
		inside := date >= req.From.Format(time.DateOnly) && date <= req.To.Format(time.DateOnly)
		want, named := wanted[key]
		delete(wanted, key)
		switch {
		case is.opens == "" || want.opens != "":
		case is.status == models.DrawOpen && want.status != models.DrawScheduled:
			want.opens = is.opens
		case want.status == "":
			want.status = models.DrawOpen
		}
		switch {
		case !inside:
			after[key] = is
		case !named && is.sold:
			return nil, counts, false
		case !named:
			counts.Deleted++
		case is.at == want.at && is.stop == want.stop && is.opens == want.opens && (want.status == "" || want.status == is.status):
			after[key] = is
			counts.Unchanged++
		case is.sold:
			return nil, counts, false
		default:
			if want.status == "" {
				want.status = is.status
			}
			after[key] = want
			counts.Updated++
		}
	}
	for key, want := range wanted {
		if want.status == "" {
			want.status = models.DrawOpen
			if want.opens != "" {
				want.status = models.DrawScheduled
			}
		}
		after[key] = want
		counts.Created++
	}
	return after, counts, true
}

// A stop in a request is explicit, also if it equals the game's; one that is left out is inherited.
func TestAStopThatIsGivenIsExplicit(t *testing.T) {
	t.Parallel()
	s := stock(t)
	spec := catalog.DrawSpec{Number: "1", Time: day(26).At(14, 0, time.UTC)}
	computed := spec.Time.Add(-5 * time.Minute)
	sync := func(stop time.Time) catalog.DrawCounts {
		spec.SaleStopAt = stop
		counts, err := s.SyncDraws(s.ctx, s.game, &catalog.DrawSync{From: day(26), To: day(26), Draws: []catalog.DrawSpec{spec}})
		require.NoError(t, err)
		return counts
	}
	stop := func() (at time.Time, explicit bool) {
		require.NoError(t, s.env.PG.Pool.QueryRow(s.ctx, `SELECT sale_stop_at, sale_stop_explicit FROM draws WHERE draw_number = '1'`).Scan(&at, &explicit))
		return at.UTC(), explicit
	}
	none, unchanged, updated := time.Time{}, catalog.DrawCounts{Unchanged: 1}, catalog.DrawCounts{Updated: 1}
	for i, step := range []struct {
		given    time.Time
		counts   catalog.DrawCounts
		explicit bool
	}{
		{none, catalog.DrawCounts{Created: 1}, false}, {none, unchanged, false}, {computed, updated, true}, {computed, unchanged, true}, {none, updated, false},
	} {
		require.Equal(t, step.counts, sync(step.given), i)
		at, explicit := stop()
		require.Equal(t, step.explicit, explicit, i)
		require.True(t, at.Equal(computed), i)
	}
	spec.KeepEqualStop = true // a request without sale_stop_explicit
	require.Equal(t, unchanged, sync(computed), "the stop that the draw has")
	require.Equal(t, updated, sync(computed.Add(-time.Second)), "another one")
	_, explicit := stop()
	require.True(t, explicit)
	require.Equal(t, unchanged, sync(computed.Add(-time.Second)), "an explicit one stays explicit")
	_, explicit = stop()
	require.True(t, explicit)
	spec.KeepEqualStop = false
	require.Equal(t, updated, sync(none))
	moved := computed.Add(-time.Minute) // as an earlier SALE_STOP made it
	s.exec(t, `UPDATE draws SET sale_stop_at = $1`, moved)
	require.Equal(t, unchanged, sync(none), "an inherited stop stays as it was made")
	at, _ := stop()
	require.True(t, at.Equal(moved))
}

// After any sequence of requests the draws equal the model's; a refused request changes nothing, and a dry run
// returns the counts and changes nothing.
func TestSyncDrawsLikeItsModel(t *testing.T) {
	t.Parallel()
	s := stock(t)
	rapid.Check(t, func(rt *rapid.T) {
		s.exec(t, `TRUNCATE ticket_items, outbox`)
		s.exec(t, `DELETE FROM draws`)
		for range rapid.IntRange(1, 5).Draw(rt, "steps") {
			req := randomSync(rt)
			before := s.model(rt)
			want, counts, accepted := expect(before, req)
			req.DryRun = true
			told, err := s.SyncDraws(s.ctx, s.game, req)
			require.Equal(rt, accepted, err == nil, "%v", err)
			require.Equal(rt, before, s.model(rt))
			req.DryRun = false
			got, err := s.SyncDraws(s.ctx, s.game, req)
			if !accepted {
				require.ErrorIs(rt, err, catalog.ErrDrawHasTickets)
				require.NotEmpty(rt, places(err))
				require.Equal(rt, before, s.model(rt))
				continue
			}
			require.NoError(rt, err)
			require.Equal(rt, counts, got)
			require.Equal(rt, counts, told)
			require.Equal(rt, want, s.model(rt))
			s.exec(t, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
				SELECT gen_random_uuid(), 1, id, game_id, 'straight', '0', 100, 3000, 3000, 1, '{}' FROM draws ORDER BY md5(id::text) LIMIT $1`, rapid.IntRange(0, 1).Draw(rt, "sold"))
			var unasked int
			require.NoError(rt, s.env.PG.Pool.QueryRow(s.ctx, `SELECT count(*) FROM draws d WHERE NOT EXISTS (
				SELECT 1 FROM outbox WHERE kind = 'draw.close' AND payload->>'draw_id' = d.id::text AND process_at = d.sale_stop_at)`).Scan(&unasked))
			require.Zero(rt, unasked, "every draw has a task that closes it when its sales stop")
		}
	})
}

func TestSyncDrawsRefusals(t *testing.T) {
	t.Parallel()
	s := stock(t)
	require.Equal(t, 8, s.generate(t))
	at := func(date, hour int) time.Time { return time.Date(2026, 11, date, hour, 0, 0, 0, time.UTC) }
	s.exec(t, `UPDATE draws SET status = 'closed' WHERE local_date = '2026-11-24' AND draw_number = '1'`)
	s.sell(t, "2026-11-25", "2")
	before := s.state(t)
	for _, tt := range []struct {
		name   string
		req    catalog.DrawSync
		err    error
		places []string
	}{
		{"to before from", catalog.DrawSync{From: day(25), To: day(24)}, catalog.ErrInvalidDraws, []string{"to"}},
		{"too many days", catalog.DrawSync{From: day(24), To: day(24).AddDays(366)}, catalog.ErrInvalidDraws, []string{"to"}},
		{"another day", catalog.DrawSync{From: day(24), To: day(24), Draws: []catalog.DrawSpec{{Number: "1", Time: at(25, 14)}}}, catalog.ErrInvalidDraws, []string{"draws[0].draw_time"}},
		{"a day only in UTC", catalog.DrawSync{From: day(25), To: day(25), Draws: []catalog.DrawSpec{{Number: "9", Time: at(25, 3)}}}, catalog.ErrInvalidDraws, []string{"draws[0].draw_time"}},
		{"twice", catalog.DrawSync{From: day(26), To: day(26), Draws: []catalog.DrawSpec{{Number: "1", Time: at(26, 14)}, {Number: "1", Time: at(26, 15)}}}, catalog.ErrInvalidDraws, []string{"draws[1]"}},
		{"stop after draw", catalog.DrawSync{From: day(26), To: day(26), Draws: []catalog.DrawSpec{{Number: "1", Time: at(26, 14), SaleStopAt: at(26, 15)}}}, catalog.ErrInvalidDraws, []string{"draws[0].sale_stop_at"}},
		{"opens after stop", catalog.DrawSync{From: day(26), To: day(26), Draws: []catalog.DrawSpec{{Number: "1", Time: at(26, 14), OpensAt: at(26, 14)}}}, catalog.ErrInvalidDraws, []string{"draws[0].opens_at"}},
		{"status and number", catalog.DrawSync{From: day(26), To: day(26), Draws: []catalog.DrawSpec{{Number: "a b", Time: at(26, 14), Status: "closed"}}}, catalog.ErrInvalidDraws, []string{"draws[0].draw_number", "draws[0].status"}},
		{"in the past", catalog.DrawSync{From: day(23), To: day(23), Draws: []catalog.DrawSpec{{Number: "2", Time: at(23, 16)}, {Number: "3", Time: at(23, 22)}, {Number: "X", Time: at(23, 14)}}}, catalog.ErrInvalidDraws, []string{"draws[2]"}},
		{"moves a closed one", catalog.DrawSync{From: day(24), To: day(24), Draws: []catalog.DrawSpec{{Number: "1", Time: at(24, 14)}}}, catalog.ErrDrawOver, []string{"2026-11-24 #1"}},
		{"takes a sold one away", catalog.DrawSync{From: day(24), To: day(25)}, catalog.ErrDrawHasTickets, []string{"2026-11-25 #2"}},
		{"moves a sold one", catalog.DrawSync{From: day(25), To: day(25), Draws: []catalog.DrawSpec{{Number: "2", Time: at(25, 17)}}}, catalog.ErrDrawHasTickets, []string{"2026-11-25 #2"}},
	} {
		_, err := s.SyncDraws(t.Context(), s.game, &tt.req)
		require.ErrorIs(t, err, tt.err, tt.name)
		require.Equal(t, tt.places, places(err), tt.name)
		require.Equal(t, before, s.state(t), tt.name)
	}
	_, err := s.SyncDraws(t.Context(), uuid.New(), &catalog.DrawSync{From: day(24), To: day(24)})
	require.ErrorIs(t, err, catalog.ErrGameNotFound)
}

// Days that were planned by hand stay as they are, until the schedule has them back.
func TestDaysPlannedByHand(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	require.Equal(t, 8, s.generate(t))
	counts, err := s.SyncDraws(ctx, s.game, &catalog.DrawSync{From: day(24), To: day(24), Draws: []catalog.DrawSpec{{Number: "X", Time: day(24).At(20, 0, time.UTC)}}})
	require.NoError(t, err)
	require.Equal(t, catalog.DrawCounts{Created: 1, Deleted: 3}, counts)
	require.Zero(t, s.generate(t), "the schedule does not bring back what was taken away")
	_, err = s.UpdateGame(ctx, s.game, &catalog.GameChange{Documents: fields("schedule_config", `{"times":[{"time":"10:00","number":"M"}]}`)})
	require.NoError(t, err)
	require.Equal(t, []string{"2026-11-24 #X 11-24 20:00 stop 19:55", "2026-11-25 #M 11-25 14:00 stop 13:55"}, s.all(t, catalog.DrawFilter{}))
	counts, err = s.SyncDraws(ctx, s.game, &catalog.DrawSync{From: day(24), To: day(24), BySchedule: true})
	require.NoError(t, err)
	require.Equal(t, catalog.DrawCounts{Created: 1, Deleted: 1}, counts)
	require.Equal(t, "2026-11-24 #M 11-24 14:00 stop 13:55", s.all(t, catalog.DrawFilter{})[0])
}

// A changed schedule neither moves nor deletes draws on which something was sold; the game's stop is theirs all the same.
func TestAChangedSchedule(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	require.Equal(t, 8, s.generate(t))
	s.sell(t, "2026-11-24", "1")
	s.sell(t, "2026-11-25", "3")
	result, err := s.SyncGame(ctx, s.game, &catalog.Sync{Grid: *grid("0", "00"), Schedule: []byte(`{"times":["10:30","13:00"],"open_hours_before":2}`), SaleStop: new(new(600))})
	require.NoError(t, err)
	require.Equal(t, []any{2, 5}, []any{result.Elements, result.Retired})
	require.Equal(t, []string{
		"2026-11-23 #1 11-23 14:30 stop 14:20", "2026-11-23 #2 11-23 17:00 stop 16:50",
		"2026-11-24 #1 11-24 13:00 stop 12:50", "2026-11-24 #2 11-24 17:00 stop 16:50",
		"2026-11-25 #1 11-25 14:30 stop 14:20", "2026-11-25 #2 11-25 17:00 stop 16:50", "2026-11-25 #3 11-25 22:00 stop 21:50",
	}, s.all(t, catalog.DrawFilter{}))
	require.Equal(t, catalog.DrawCounts{Created: 1, Updated: 6, Deleted: 2}, result.Draws)
}

// Draws that wait for an opening which is planned no more are put on sale: nothing else would open them, nor close them.
func TestADrawWithoutAPlannedOpeningIsOpened(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	count := func(status string) int {
		_, n, err := s.Draws(ctx, catalog.DrawFilter{GameID: s.game, Status: status, Limit: 100})
		require.NoError(t, err)
		return int(n)
	}
	schedule := func(doc string) {
		_, err := s.SyncGame(ctx, s.game, &catalog.Sync{Grid: *grid("0", "00"), Schedule: []byte(doc)})
		require.NoError(t, err)
	}
	schedule(`{"times":["10:30"],"open_hours_before":2}`)
	waiting := count(models.DrawScheduled)
	require.Positive(t, waiting)
	schedule(`{"times":["10:30"]}`)
	require.Zero(t, count(models.DrawScheduled))

	at := func(hour int) time.Time { return day(26).At(hour, 0, time.UTC) }
	plan := func(d catalog.DrawSpec) catalog.DrawCounts {
		d.Number, d.Time = "1", at(14)
		counts, err := s.SyncDraws(ctx, s.game, &catalog.DrawSync{From: day(26), To: day(26), Draws: []catalog.DrawSpec{d}})
		require.NoError(t, err)
		return counts
	}
	plan(catalog.DrawSpec{OpensAt: at(10), Status: models.DrawScheduled})
	require.Equal(t, 1, count(models.DrawScheduled))
	plan(catalog.DrawSpec{})
	require.Zero(t, count(models.DrawScheduled))
	plan(catalog.DrawSpec{Status: models.DrawScheduled})
	plan(catalog.DrawSpec{})
	require.Equal(t, 1, count(models.DrawScheduled), "one that waits for a person stays")

	plan(catalog.DrawSpec{OpensAt: at(10), Status: models.DrawOpen})
	require.Equal(t, catalog.DrawCounts{Unchanged: 1}, plan(catalog.DrawSpec{}), "when it was opened is no matter once it is open")
}

// grid is a set of elements with these codes.
func grid(codes ...string) *catalog.Grid {
	g := &catalog.Grid{}
	for _, c := range codes {
		g.Elements = append(g.Elements, catalog.ElementSpec{Code: c, Name: "New " + c})
	}
	return g
}

func TestElements(t *testing.T) {
	t.Parallel()
	s := stock(t)
	ctx := t.Context()
	added, err := s.AddElements(ctx, s.game, grid("5", "05"))
	require.NoError(t, err, "5 and 05 are different")
	require.Equal(t, []int{8, 9}, []int{added[0].Position, added[1].Position})
	before := s.state(t)
	_, err = s.AddElements(ctx, s.game, grid("6", "05", "7"))
	require.ErrorIs(t, err, catalog.ErrElementExists)
	require.Equal(t, []string{"elements[1].code"}, places(err))
	_, err = s.AddElements(ctx, s.game, grid())
	require.ErrorIs(t, err, catalog.ErrInvalidGrid)
	_, err = s.UpdateElement(ctx, s.game, "005", &catalog.ElementChange{Name: new("X")})
	require.ErrorIs(t, err, catalog.ErrElement)
	require.Equal(t, before, s.state(t))

	_, err = s.UpdateElement(ctx, s.game, "05", &catalog.ElementChange{Retired: new(true)})
	require.NoError(t, err)
	g, err := s.Game(ctx, s.game)
	require.NoError(t, err)
	require.Nil(t, g.Element("05"))
	require.NotNil(t, g.Element("5"))
	require.Equal(t, "New 05", g.NameOf("05"), "old tickets name it still")
	_, refused := g.Select("straight", []string{"05"})
	require.NotNil(t, refused)
	active, err := s.Elements(ctx, s.game, false)
	require.NoError(t, err)
	all, err := s.Elements(ctx, s.game, true)
	require.NoError(t, err)
	require.Equal(t, []int{8, 9}, []int{len(active), len(all)})
	again, err := s.AddElements(ctx, s.game, grid("05"))
	require.NoError(t, err)
	require.Equal(t, added[1].ID, again[0].ID, "it is the same one, brought back")
}

// A grid with an error anywhere changes nothing: neither the grid nor the schedule and draws sent with it.
func TestAMalformedGridChangesNothing(t *testing.T) {
	t.Parallel()
	s := stock(t)
	require.Equal(t, 8, s.generate(t))
	other, err := s.CreateGame(t.Context(), newGame(s, "other"))
	require.NoError(t, err)
	foreign, err := s.AddElements(t.Context(), other.ID, grid("3"))
	require.NoError(t, err)
	before := s.state(t)
	rapid.Check(t, func(rt *rapid.T) {
		g := grid("0", "00", "1", "2", "4", "5", "05", "36")
		at := rapid.IntRange(0, len(g.Elements)-1).Draw(rt, "place")
		e := &g.Elements[at]
		where := ".code"
		switch rapid.IntRange(0, 7).Draw(rt, "mistake") {
		case 0:
			e.Code = rapid.SampledFrom([]string{"", "12345", "x", "１", " 5", "5 ", "-1"}).Draw(rt, "code")
		case 1:
			e.Code = g.Elements[(at+1)%len(g.Elements)].Code
			at = max(at, (at+1)%len(g.Elements))
		case 2:
			e.Name, where = rapid.SampledFrom([]string{"", " ", "a\x00b", "***", strings.Repeat("x", 61)}).Draw(rt, "name"), ".name"
		case 3:
			e.ID, where = foreign[0].ID, ".id"
		case 4:
			e.ID, where = uuid.New(), ".id"
		case 5:
			e.Position, where = new(-1), ".position"
		case 6:
			e.Display, where = strings.Repeat("x", 61), ".display_value"
		case 7:
			g.Images = map[string][]byte{"005": []byte("x")}
			where = "image_*"
		}
		_, err := s.SyncGame(s.ctx, s.game, &catalog.Sync{Grid: *g, Schedule: []byte(`{"times":["15:00"]}`)})
		require.ErrorIs(rt, err, catalog.ErrInvalidGrid)
		if where != "image_*" {
			where = fmt.Sprintf("elements[%d]%s", at, where)
		}
		require.True(rt, slices.Contains(places(err), where), "%v names no %s", apperr.From(err).Details, where)
	})
	for name, req := range map[string]*catalog.Sync{
		"schedule": {Grid: *grid("0"), Schedule: []byte(`{"times":["25:00"]}`)},
		"zone":     {Grid: *grid("0"), Schedule: []byte(`{"times":["15:00"],"time_zone":"Nowhere/Land"}`)},
		"picture":  {Grid: catalog.Grid{Elements: grid("0").Elements, Images: map[string][]byte{"0": []byte("%PDF-1.4")}}},
	} {
		_, err := s.SyncGame(s.ctx, s.game, req)
		require.Error(t, err, name)
	}
	require.Equal(t, before, s.state(t))
}
