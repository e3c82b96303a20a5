package catalog_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/catalog"
	"banca/models"
)

// plannedGame is the game of a shop as the model of its plan sees it: the schedule, the stop, and the days planned by
// hand.
type plannedGame struct {
	schedule catalog.Schedule
	byHand   map[string]bool
	now      time.Time
}

const daysAhead = 2 // as the shop's options

// wanted returns the draws that the schedule asks for from today on, up to a number of days ahead, by date and number.
func (g *plannedGame) wanted(zone *time.Location, days int) map[string]drawState {
	list := map[string]drawState{}
	today := g.now.In(zone)
	for ahead := range days + 1 {
		date := time.Date(today.Year(), today.Month(), today.Day()+ahead, 0, 0, 0, 0, zone)
		name := date.Format(time.DateOnly)
		weekday := len(g.schedule.Weekdays) == 0 || slices.Contains(g.schedule.Weekdays, int(date.Weekday()))
		if !weekday || slices.Contains(g.schedule.Holidays, name) || g.byHand[name] {
			continue
		}
		for i, t := range g.schedule.Times {
			number := t.Number
			if number == "" {
				number = strconv.Itoa(i + 1)
			}
			hour, _ := strconv.Atoi(t.Time[:2])
			minute, _ := strconv.Atoi(t.Time[3:])
			at := time.Date(date.Year(), date.Month(), date.Day(), hour, minute, 0, 0, zone)
			d := drawState{at: stamp(at), stop: stamp(at.Add(-5 * time.Minute)), status: models.DrawOpen}
			if hours := g.schedule.OpenHoursBefore; hours > 0 {
				d.opens, d.status = stamp(at.Add(-time.Duration(hours)*time.Hour)), models.DrawScheduled
			}
			list[name+" "+number] = d
		}
	}
	return list
}

// over reports whether the sales of a draw have stopped.
func (g *plannedGame) over(d *drawState) bool {
	return d.status != models.DrawOpen && d.status != models.DrawScheduled || stamp(g.now) >= d.stop
}

// generate expects the draws after Generate: existing draws stay, missing ones that can still be sold are added.
func (g *plannedGame) generate(have map[string]drawState, zone *time.Location) map[string]drawState {
	after := map[string]drawState{}
	for key, d := range g.wanted(zone, daysAhead) {
		if !g.over(&d) {
			after[key] = d
		}
	}
	maps.Copy(after, have)
	return after
}

// replan expects the draws after a change of the schedule: those that are over, sold or planned by hand stay.
func (g *plannedGame) replan(have map[string]drawState, zone *time.Location) map[string]drawState {
	today, days := g.now.In(zone).Format(time.DateOnly), daysAhead
	for key := range have {
		date, err := time.ParseInLocation(time.DateOnly, key[:len(time.DateOnly)], zone)
		if err != nil {
			panic(err)
		}
		if start, err := time.ParseInLocation(time.DateOnly, today, zone); err == nil {
			days = max(days, int(date.Sub(start).Hours()/24))
		}
	}
	wanted, after := g.wanted(zone, days), map[string]drawState{}
	for key, d := range have {
		date, _, _ := strings.Cut(key, " ")
		want, named := wanted[key]
		if date < today || g.byHand[date] || g.over(&d) || d.sold || named && g.over(&want) {
			after[key] = d
			continue
		}
		if named {
			after[key] = merged(d, want)
		}
	}
	for key, want := range wanted {
		if _, exists := have[key]; !exists && !g.over(&want) {
			after[key] = want
		}
	}
	return after
}

// merged returns a draw after the schedule wants it otherwise: an open one stays open and keeps when it was opened, a
// waiting one whose opening is planned no more is put on sale.
func merged(d, want drawState) drawState {
	switch {
	case want.opens != "" || d.opens == "":
		want.status = d.status
	case d.status == models.DrawOpen:
		want.opens = d.opens
	default:
		want.status = models.DrawOpen
	}
	return want
}

func drawnSchedule(t *rapid.T) catalog.Schedule {
	s := catalog.Schedule{Times: []catalog.DrawTime{}}
	hours := rapid.SliceOfNDistinct(rapid.IntRange(9, 14), 0, 4, rapid.ID).Draw(t, "hours")
	slices.Sort(hours)
	for i, hour := range hours {
		d := catalog.DrawTime{Time: fmt.Sprintf("%02d:30", hour)}
		if rapid.IntRange(0, 2).Draw(t, "numbered") == 0 {
			d.Number = "N" + strconv.Itoa(i)
		}
		s.Times = append(s.Times, d)
	}
	if rapid.IntRange(0, 3).Draw(t, "weekdays") == 0 {
		s.Weekdays = rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 1, 6, rapid.ID).Draw(t, "days of the week")
	}
	if rapid.IntRange(0, 3).Draw(t, "holiday") == 0 {
		s.Holidays = []string{day(rapid.IntRange(23, 26).Draw(t, "holiday of November")).String()}
	}
	s.OpenHoursBefore = rapid.SampledFrom([]int{0, 30, 1, 0}).Draw(t, "opens hours before")
	return s
}

// Draws that are generated and replanned in any order, while time passes, tickets are sold and days are planned by
// hand, equal a model in plain Go, and each draw on sale has a task that closes it.
func TestDrawsFollowTheScheduleLikeTheirModel(t *testing.T) {
	t.Parallel()
	s := stock(t)
	start := s.clock.Now()
	rapid.Check(t, func(rt *rapid.T) {
		s.clock.Advance(start.Sub(s.clock.Now()))
		s.exec(t, `TRUNCATE ticket_items, outbox, planned_days`)
		s.exec(t, `DELETE FROM draws`)
		g := &plannedGame{byHand: map[string]bool{}}
		s.reschedule(rt, g, drawnSchedule(rt))
		for range rapid.IntRange(3, 9).Draw(rt, "steps") {
			s.stepPlan(rt, g)
			require.Zero(rt, s.unclosed(t))
		}
	})
}

// reschedule changes the schedule and compares the draws with the model.
func (s *shop) reschedule(t *rapid.T, g *plannedGame, schedule catalog.Schedule) {
	have := s.model(t)
	doc, err := json.Marshal(schedule)
	require.NoError(t, err)
	before, err := s.GameRow(s.ctx, s.game)
	require.NoError(t, err)
	_, err = s.UpdateGame(s.ctx, s.game, &catalog.GameChange{Documents: fields(catalog.FieldSchedule, string(doc))})
	require.NoError(t, err)
	after, err := s.GameRow(s.ctx, s.game)
	require.NoError(t, err)
	g.schedule, g.now = schedule, s.clock.Now()
	want := have
	if string(before.ScheduleConfig) != string(after.ScheduleConfig) { // the same schedule replans nothing
		want = g.replan(have, s.zone)
	}
	require.Equal(t, want, s.model(t))
}

// stepPlan does one drawn thing to the game and its model.
func (s *shop) stepPlan(t *rapid.T, g *plannedGame) {
	switch rapid.SampledFrom([]string{"reschedule", "generate", "wait", "open", "sell", "by hand"}).Draw(t, "operation") {
	case "generate":
		g.now = s.clock.Now()
		want := g.generate(s.model(t), s.zone)
		have := len(s.model(t))
		created, err := s.Generate(s.ctx)
		require.NoError(t, err)
		require.Equal(t, want, s.model(t))
		require.Equal(t, len(want)-have, created)
	case "reschedule":
		s.reschedule(t, g, drawnSchedule(t))
	case "wait":
		s.clock.Advance(time.Duration(rapid.IntRange(0, 30).Draw(t, "hours"))*time.Hour + rapid.SampledFrom([]time.Duration{27 * time.Minute, 0}).Draw(t, "minutes"))
	case "open": // as its task does
		_, err := s.env.PG.Pool.Exec(s.ctx, `UPDATE draws SET status = 'open' WHERE status = 'scheduled' AND opens_at <= $1`, s.clock.Now())
		require.NoError(t, err)
	case "sell":
		_, err := s.env.PG.Pool.Exec(s.ctx, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			SELECT gen_random_uuid(), 1, id, game_id, 'straight', '0', 100, 3000, 3000, 1, '{}' FROM draws ORDER BY md5(id::text) LIMIT 1`)
		require.NoError(t, err)
	default:
		date := day(rapid.IntRange(23, 26).Draw(t, "day planned by hand"))
		draws := []catalog.DrawSpec{{Number: "HAND", Time: date.At(20, 0, time.UTC)}}
		_, err := s.SyncDraws(s.ctx, s.game, &catalog.DrawSync{From: date, To: date, Draws: draws})
		if err == nil { // it is refused once a draw of the day is over or sold
			g.byHand[date.String()] = true
		}
	}
}
