package catalog

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/drawstate"
	"banca/web/kit"
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
	Month      businessday.Day // its first day
	Prev, Next string          // months
	Weeks      [][]dayBox      // from Monday
	Totals     map[string]int
	Statuses   []string
	Day        businessday.Day
	ByHand     bool
	DrawRows   kit.Rows
	Edits      bool
	Details    []kit.Detail

	zone string
	plan *kit.Form // of the day as it is typed
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

// showCalendar shows a month of draws, or sends them as a file.
func (p *pages) showCalendar(r *kit.Request) error {
	if !r.WantsFile() {
		return p.calendar.Show(r)
	}
	month, _, _ := chosen(r)
	draws, _, err := p.Catalog.Draws(r.Context(), catalog.DrawFilter{GameID: r.ID, From: month, To: month.AddMonths(1).AddDays(-1), Limit: kit.ExportRows})
	if err != nil {
		return err
	}
	return kit.SendFile(r, "draws", drawColumns(), kit.OnePage(draws))
}

func drawColumns() []kit.Column[*catalog.Draw] {
	return []kit.Column[*catalog.Draw]{
		{Title: "label.date", File: func(d **catalog.Draw) sheet.Cell { return sheet.Day((*d).LocalDate) }},
		{Title: "label.number", Text: func(d **catalog.Draw) string { return (*d).Number }},
		{Title: "label.time", File: func(d **catalog.Draw) sheet.Cell { return sheet.Time((*d).Time) }},
		{Title: "label.sale_stop_at", File: func(d **catalog.Draw) sheet.Cell { return sheet.Time((*d).SaleStopAt) }},
		{Title: "label.state", Words: func(v *kit.View, d **catalog.Draw) string { return v.State("draw", (*d).Status).Text }},
	}
}

// dayColumns are those of the draws of a day in the table.
func dayColumns() []kit.Column[*catalog.Draw] {
	return []kit.Column[*catalog.Draw]{
		kit.TimeColumn("label.time", func(d **catalog.Draw) time.Time { return (*d).Time }),
		kit.MonoColumn("label.number", func(d **catalog.Draw) string { return (*d).Number }).OnWide(),
		kit.TimeColumn("label.sale_stop_at", func(d **catalog.Draw) time.Time { return (*d).SaleStopAt }),
		kit.TimeColumn("label.opens_at", func(d **catalog.Draw) time.Time { return (*d).OpensAt }).OnWide(),
		kit.StateColumn("draw", func(d **catalog.Draw) string { return (*d).Status }),
	}
}

func drawAddress(d **catalog.Draw) string { return links.Draws + "/" + (*d).ID.String() }

// chosen returns the month and day in the address; invalid ones mean this month, and today.
func chosen(r *kit.Request) (month, day, today businessday.Day) {
	today = r.Today()
	day = r.QueryDay(dayParam)
	given := !day.IsZero()
	if !given {
		day = today
	}
	month, err := businessday.Parse(r.Query(monthParam) + "-01")
	if err != nil {
		month = day.FirstOfMonth()
	} else if !given && month != today.FirstOfMonth() {
		day = month
	}
	return month, day, today
}

func (p *pages) loadCalendar(r *kit.Request) (*calendarPage, error) {
	ctx := r.Context()
	row, err := p.Catalog.GameRow(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	zone, err := p.zone(r)
	if err != nil {
		return nil, err
	}
	month, day, today := chosen(r)
	page := &calendarPage{
		Game: *row, Month: month, Prev: month.AddMonths(-1).Format(monthForm), Next: month.AddMonths(1).Format(monthForm),
		Day: day, Statuses: drawstate.Stored(), Totals: map[string]int{}, Edits: edits(r), zone: zone.String(),
	}
	if err := p.fillMonth(ctx, page, r.ID, today); err != nil {
		return nil, err
	}
	draws, err := p.drawsOf(r, day)
	if err != nil {
		return nil, err
	}
	page.DrawRows = kit.RowsOf(dayColumns(), draws, drawAddress, "games.draws.none")
	page.plan = planForm(draws, zone)
	r.OfferFile()
	return page, nil
}

// zone returns the time zone of the game's schedule.
func (p *pages) zone(r *kit.Request) (*time.Location, error) {
	game, err := p.Catalog.Game(r.Context(), r.ID)
	if err != nil {
		return nil, err
	}
	return game.Schedule().Zone(r.Zone())
}

// drawsOf returns the game's draws of a day.
func (p *pages) drawsOf(r *kit.Request, day businessday.Day) ([]*catalog.Draw, error) {
	draws, _, err := p.Catalog.Draws(r.Context(), catalog.DrawFilter{GameID: r.ID, Date: day, Limit: maxDayDraws})
	return draws, err
}

// fillMonth lays the days of the month out in weeks.
func (p *pages) fillMonth(ctx context.Context, page *calendarPage, game uuid.UUID, today businessday.Day) error {
	last := page.Month.AddMonths(1).AddDays(-1)
	days, err := p.Catalog.Calendar(ctx, game, page.Month, last)
	if err != nil {
		return err
	}
	planned := make(map[businessday.Day]catalog.PlannedDay, longestMonth)
	for _, d := range days {
		planned[d.Date] = d
		for status, n := range d.Counts {
			page.Totals[status] += n
		}
	}
	first := (int(page.Month.Weekday()) + daysOfWeek - 1) % daysOfWeek // Monday is the first
	week := make([]dayBox, first, daysOfWeek)
	for date := page.Month; !date.After(last); date = date.AddDays(1) {
		box := dayBox{PlannedDay: planned[date], Today: date == today, Chosen: date == page.Day}
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

// planForm is the form of the draws of a day: a time and a number a line.
func planForm(draws []*catalog.Draw, zone *time.Location) *kit.Form {
	form := kit.NewForm(kit.LinesInput("lines", "games.plan.lines", 10).With("class=mono spellcheck=false"))
	return form.Put("lines", linesOf(draws, zone))
}

// Plan is the field of the draws of the day.
func (p *calendarPage) Plan(v *kit.View) *kit.Field {
	field := p.plan.Field(v, "lines")
	return field.Rule(v.T("games.plan.hint", p.zone), field.Wrong)
}

// planDay replaces the draws of a day by the typed ones, or returns the day to the schedule.
func (p *pages) planDay(r *kit.Request) error {
	day, err := businessday.Parse(r.Form(dayParam))
	if err != nil {
		return kit.InvalidForm()
	}
	lines := r.Form("lines")
	req := &catalog.DrawSync{From: day, To: day, BySchedule: r.Form("action") == "schedule"}
	if !req.BySchedule {
		if req.Draws, err = p.readLines(r, day, lines); err != nil {
			return err
		}
	}
	r.URL().RawQuery = dayParam + "=" + day.String() // the page of that day
	if _, err = p.Catalog.SyncDraws(r.Context(), r.ID, req); err == nil {
		return r.Done(path+"/"+r.ID.String()+"/draws?"+r.URL().RawQuery, "game.planned")
	}
	return p.calendar.ShowRefusal(r, err, func(page *calendarPage) {
		page.plan.FillFrom(r).Refuse("lines")
		page.Details = lineDetails(r, err)
	})
}

// readLines parses typed draws; its result is never nil. An existing draw at a typed time, which the form shows in
// minutes, keeps its exact instant, explicit stop and opening; an invalid time becomes one outside the day, which is
// refused by its location.
func (p *pages) readLines(r *kit.Request, day businessday.Day, text string) ([]catalog.DrawSpec, error) {
	zone, err := p.zone(r)
	if err != nil {
		return nil, err
	}
	there, err := p.drawsOf(r, day)
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
			spec.Time = day.At(at.Hour(), at.Minute(), zone)
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

// indexed is the place of a refused value of a list.
var indexed = regexp.MustCompile(`^\w+\[(\d+)\](?:\.(?:draw_)?(\w+))?$`)

// lineDetails returns the refused values of a list that was typed as lines, with their places in words.
func lineDetails(r *kit.Request, err error) []kit.Detail {
	details := r.Details(err)
	for i := range details {
		if at := indexed.FindStringSubmatch(details[i].Location); at != nil {
			n, _ := strconv.Atoi(at[1]) // digits
			details[i].Location = r.T("label.line") + " " + strconv.Itoa(n+1)
			if at[2] != "" {
				details[i].Location += " · " + cmp.Or(r.View().FirstText("label."+at[2]), at[2])
			}
		}
	}
	return details
}

// linesOf writes draws as they are typed: time and number.
func linesOf(draws []*catalog.Draw, zone *time.Location) string {
	var b strings.Builder
	for _, d := range draws {
		b.WriteString(d.Time.In(zone).Format("15:04") + " " + d.Number + "\n")
	}
	return b.String()
}
