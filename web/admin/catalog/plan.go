package catalog

import (
	"strings"
	"time"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/web/kit"
)

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
		page.Details = r.Details(err)
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

// linesOf writes draws as they are typed: time and number.
func linesOf(draws []*catalog.Draw, zone *time.Location) string {
	var b strings.Builder
	for _, d := range draws {
		b.WriteString(d.Time.In(zone).Format("15:04") + " " + d.Number + "\n")
	}
	return b.String()
}
