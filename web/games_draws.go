package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/catalog"
	"banca/models"
)

const (
	monthForm    = "2006-01"
	daysOfWeek   = 7
	maxDayDraws  = 1_500 // the bound of one change: draws missing in a day's form are deleted
	monthParam   = "month"
	dayParam     = "day"
	longestMonth = 31
)

// calendarPage is a month of a game's draws, and one of its days.
type calendarPage struct {
	Game       models.Game
	Month      time.Time
	Prev, Next string     // months
	Weeks      [][]dayBox // from Monday
	Totals     map[string]int
	Statuses   []string
	Day        time.Time
	ByHand     bool
	Draws      []*catalog.Draw
	Lines      string // the day as it is typed
	Edits      bool
	Details    []apperr.Detail
	Zone       string
}

// dayBox is a day in the calendar; its Date is zero outside of the month.
type dayBox struct {
	catalog.PlannedDay
	Today, Chosen bool
}

// Weekdays are the days of a week, as they are called in words.
func (*calendarPage) Weekdays() []string {
	return []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}
}

// States lists the states of draws in the order of their life.
func (p *calendarPage) States(counts map[string]int) []string {
	return slices.DeleteFunc(slices.Clone(p.Statuses), func(s string) bool { return counts[s] == 0 })
}

func drawStatuses() []string {
	return []string{models.DrawScheduled, models.DrawOpen, models.DrawClosed, models.DrawResulted, models.DrawSettled, models.DrawSuspended}
}

func (w *Web) gameDraws(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if c.Query(formatParam) == formatCSV {
		w.drawsCSV(c, id)
		return
	}
	w.showDraws(c, id, http.StatusOK, "", nil)
}

func (w *Web) showDraws(c *gin.Context, id uuid.UUID, status int, problem string, change func(*calendarPage)) {
	page, err := w.calendarPage(c, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	if change != nil {
		change(page)
	}
	w.show(c, status, "game-draws", &view{Page: page, Problem: problem, Pager: &pager{CSV: csvAddress(c.Request.URL)}})
}

// chosen returns the month and day in the address; invalid ones mean this month, and today.
func (w *Web) chosen(c *gin.Context) (month, day, today time.Time) {
	local := w.deps.Clock.Now().In(w.deps.Zone)
	today = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	day, err := time.Parse(time.DateOnly, c.Query(dayParam))
	if err != nil {
		day = today
	}
	month, failed := time.Parse(monthForm, c.Query(monthParam))
	if failed != nil {
		month = time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	} else if err != nil && (month.Year() != today.Year() || month.Month() != today.Month()) {
		day = month
	}
	return month, day, today
}

func (w *Web) calendarPage(c *gin.Context, id uuid.UUID) (*calendarPage, error) {
	ctx := c.Request.Context()
	row, err := w.deps.Catalog.GameRow(ctx, id)
	if err != nil {
		return nil, err
	}
	game, err := w.deps.Catalog.Game(ctx, id)
	if err != nil {
		return nil, err
	}
	zone, err := game.Schedule().Zone(w.deps.Zone)
	if err != nil {
		return nil, err
	}
	month, day, today := w.chosen(c)
	page := &calendarPage{
		Game: *row, Month: month, Prev: month.AddDate(0, -1, 0).Format(monthForm), Next: month.AddDate(0, 1, 0).Format(monthForm),
		Day: day, Statuses: drawStatuses(), Totals: map[string]int{}, Edits: editsGames(c), Zone: zone.String(),
	}
	if err := w.fillMonth(ctx, page, id, today); err != nil {
		return nil, err
	}
	page.Draws, _, err = w.deps.Catalog.Draws(ctx, catalog.DrawFilter{GameID: id, Date: day, Limit: maxDayDraws})
	if err != nil {
		return nil, err
	}
	page.Lines = linesOf(page.Draws, zone)
	return page, nil
}

// fillMonth lays the days of the month out in weeks.
func (w *Web) fillMonth(ctx context.Context, page *calendarPage, game uuid.UUID, today time.Time) error {
	last := page.Month.AddDate(0, 1, -1)
	days, err := w.deps.Catalog.Calendar(ctx, game, page.Month, last)
	if err != nil {
		return err
	}
	planned := make(map[time.Time]catalog.PlannedDay, longestMonth)
	for _, d := range days {
		planned[d.Date] = d
		for status, n := range d.Counts {
			page.Totals[status] += n
		}
	}
	first := (int(page.Month.Weekday()) + daysOfWeek - 1) % daysOfWeek // Monday is the first
	week := make([]dayBox, first, daysOfWeek)
	for date := page.Month; !date.After(last); date = date.AddDate(0, 0, 1) {
		box := dayBox{PlannedDay: planned[date], Today: date.Equal(today), Chosen: date.Equal(page.Day)}
		box.Date = date
		page.ByHand = page.ByHand || box.Chosen && box.ByHand
		if week = append(week, box); len(week) == daysOfWeek {
			page.Weeks, week = append(page.Weeks, week), nil
		}
	}
	if len(week) > 0 {
		page.Weeks = append(page.Weeks, append(week, make([]dayBox, daysOfWeek-len(week))...))
	}
	return nil
}

// linesOf writes draws as they are typed: time and number.
func linesOf(draws []*catalog.Draw, zone *time.Location) string {
	var b strings.Builder
	for _, d := range draws {
		b.WriteString(d.Time.In(zone).Format("15:04") + " " + d.Number + "\n")
	}
	return b.String()
}

// planDay replaces the draws of a day by the typed ones, or returns the day to the schedule.
func (w *Web) planDay(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	day, err := time.Parse(time.DateOnly, c.PostForm(dayParam))
	if err != nil {
		w.refuse(c, http.StatusBadRequest, "error.form")
		return
	}
	lines := c.PostForm("lines")
	req := &catalog.DrawSync{From: day, To: day, BySchedule: c.PostForm("action") == "schedule"}
	if !req.BySchedule {
		if req.Draws, err = w.readLines(c.Request.Context(), id, day, lines); err != nil {
			w.stop(c, err)
			return
		}
	}
	address := gamesPath + "/" + id.String() + "/draws"
	if _, err = w.deps.Catalog.SyncDraws(c.Request.Context(), id, req); err == nil {
		c.Redirect(http.StatusSeeOther, address+"?"+dayParam+"="+day.Format(time.DateOnly)+"&"+doneParam+"=game.planned")
		return
	}
	w.explain(c, err, func(status int, words string) {
		c.Request.URL.RawQuery = dayParam + "=" + day.Format(time.DateOnly)
		w.showDraws(c, id, status, words, func(page *calendarPage) { page.Lines, page.Details = lines, apperr.From(err).Details })
	})
}

// readLines parses typed draws; its result is never nil. An existing draw at a typed time, which the form shows in
// minutes, keeps its exact instant, explicit stop and opening; an invalid time becomes one outside the day, which is
// refused by its location.
func (w *Web) readLines(ctx context.Context, id uuid.UUID, day time.Time, text string) ([]catalog.DrawSpec, error) {
	game, err := w.deps.Catalog.Game(ctx, id)
	if err != nil {
		return nil, err
	}
	zone, err := game.Schedule().Zone(w.deps.Zone)
	if err != nil {
		return nil, err
	}
	there, _, err := w.deps.Catalog.Draws(ctx, catalog.DrawFilter{GameID: id, Date: day, Limit: maxDayDraws})
	if err != nil {
		return nil, err
	}
	draws := []catalog.DrawSpec{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		clock, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		spec := catalog.DrawSpec{Number: strings.TrimSpace(number)}
		if at, err := time.Parse("15:04", clock); err == nil {
			spec.Time = time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), 0, 0, zone)
		}
		for _, d := range there {
			if d.Number == spec.Number && d.Time.Truncate(time.Minute).Equal(spec.Time) {
				spec.Time, spec.OpensAt = d.Time, d.OpensAt
				if d.StopExplicit {
					spec.SaleStopAt = d.SaleStopAt
				}
			}
		}
		draws = append(draws, spec)
	}
	return draws, nil
}

// drawsCSV sends the draws of the month.
func (w *Web) drawsCSV(c *gin.Context, id uuid.UUID) {
	month, _, _ := w.chosen(c)
	draws, _, err := w.deps.Catalog.Draws(c.Request.Context(), catalog.DrawFilter{GameID: id, From: month, To: month.AddDate(0, 1, -1), Limit: exportRows})
	if err != nil {
		w.fail(c, err)
		return
	}
	rows := make([][]string, len(draws))
	for i, d := range draws {
		rows[i] = []string{d.LocalDate.Format(time.DateOnly), d.Number, d.Time.Format(time.RFC3339), d.SaleStopAt.Format(time.RFC3339), d.Status}
	}
	w.sendCSV(c, "draws", []string{"label.date", "label.number", "label.time", "label.sale_stop_at", "label.state"}, rows)
}
