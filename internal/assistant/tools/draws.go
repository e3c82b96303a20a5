package tools

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/assistant"
	"banca/internal/assistant/dates"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/risk/exposure"
)

// Bounds of the draws that a call reads.
const (
	maxDays     = 7  // of all games
	maxGameDays = 31 // of one game
	maxDraws    = 1_000
)

// noteCut tells a model that a period was cut.
const noteCut = "the period is too long: these are its last days, from the first to the last day of this result; "

// drawList is the draws that a call means, by their time.
type drawList struct {
	list []draws.View
	days dates.Range // that were read
	cut  bool        // they are the last ones of a longer period
}

// draws returns the draws that a call means. Errors: errDate, errTime, errGame, assistant.AmbiguousError.
func (k *kit) draws(ctx context.Context, a *assistant.Arguments) (*drawList, error) {
	days, err := k.days(a.Date)
	if err != nil {
		return nil, err
	}
	minutes, ok := clockTime(a.Time)
	anyTime := strings.TrimSpace(a.Time) == ""
	if !ok && !anyTime {
		return nil, errTime
	}
	f := &draws.ViewFilter{Limit: maxDraws}
	most := maxDays
	game, err := k.game(ctx, a.Game)
	if err != nil {
		return nil, err
	}
	if game != nil {
		f.GameID, most = game.ID, maxGameDays
	}
	out := &drawList{days: days}
	if first := days.To.AddDays(1 - most); days.From.Before(first) {
		out.days.From, out.cut = first, true
	}
	f.Date, f.Through = out.days.From, out.days.To
	if err := k.read(ctx, f, out); err != nil {
		return nil, err
	}
	if !anyTime {
		out.list = slices.DeleteFunc(out.list, func(v draws.View) bool {
			at := v.Time.In(k.Zone)
			return at.Hour()*60+at.Minute() != minutes
		})
	}
	return out, nil
}

// read reads the last draws that a filter selects.
func (k *kit) read(ctx context.Context, f *draws.ViewFilter, out *drawList) error {
	list, total, err := k.Draws.Views(ctx, f)
	if err == nil && total > maxDraws {
		f.Offset = int(total) - maxDraws
		list, _, err = k.Draws.Views(ctx, f)
	}
	if err != nil {
		return err
	}
	if out.list = list; total > maxDraws && len(list) > 0 {
		out.days.From, out.cut = list[0].LocalDate, true
	}
	return nil
}

var timeForm = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2}))?(am|pm|de la manana|de la tarde|de la noche)?$`)

// noon is its hour.
const noon = 12

// clockTime reads a time of day in minutes. "7" is seven in the evening, because draws are from eight in the morning
// on.
func clockTime(text string) (int, bool) {
	plain := strings.NewReplacer("a. m.", "am", "p. m.", "pm", "a.m.", "am", "p.m.", "pm", " am", "am", " pm", "pm", "las ", "", "la ", "").Replace(dates.Normalise(text))
	plain = strings.NewReplacer("de manana", "am", "de tarde", "pm", "de noche", "pm", " ", "").Replace(plain)
	switch plain {
	case "mediodia", "noon", "12m":
		return noon * 60, true
	case "medianoche", "midnight":
		return 0, true
	}
	m := timeForm.FindStringSubmatch(plain)
	if m == nil {
		return 0, false
	}
	hour, err := strconv.Atoi(m[1])
	if err != nil || hour > 23 {
		return 0, false
	}
	minute := 0
	if m[2] != "" {
		if minute, err = strconv.Atoi(m[2]); err != nil || minute > 59 {
			return 0, false
		}
	}
	const earliest = 8
	switch {
	case m[3] == "pm" && hour < noon, m[3] == "" && hour < earliest && hour > 0:
		hour += noon
	case m[3] == "am" && hour == noon:
		hour = 0
	}
	return hour*60 + minute, true
}

func (k *kit) drawStatus(ctx context.Context, _ caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	d, err := k.draws(ctx, &a)
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{
		From: d.days.From, To: d.days.To, Columns: []string{"day", "game", "draw", "time", "status", "winner"},
		Link: linkDraws + "?date=" + d.days.To.String(), Total: int64(len(d.list)),
	}
	if d.cut {
		out.Note = noteCut
	}
	list := d.list
	if len(list) > maxRows { // those around now, or else the newest
		now, at := k.Clock.Now(), 0
		for at < len(list)-maxRows && list[at+maxRows/2].Time.Before(now) {
			at++
		}
		list = list[at : at+maxRows]
		out.Note += "only some of the draws are listed; name a game, a time or a day for others"
	}
	for i := range list {
		v := &list[i]
		out.Rows = append(out.Rows, []string{v.LocalDate.String(), name(v.Game.Name), name(v.Number), v.Time.In(k.Zone).Format("15:04"), v.Status, name(v.Value)})
	}
	if d.days.One() { // the day of the result
		out.Columns = out.Columns[1:]
		for i := range out.Rows {
			out.Rows[i] = out.Rows[i][1:]
		}
	}
	return out, nil
}

// exposed returns the exposure of the draw that a call means, in each currency: the next one of those that it names,
// else the last one.
func (k *kit) exposed(ctx context.Context, by caller.Caller, a *assistant.Arguments) ([]*exposure.Exposure, error) {
	d, err := k.draws(ctx, a)
	if err != nil {
		return nil, err
	}
	id := uuid.Nil
	for i := range d.list {
		if id = d.list[i].ID; d.list[i].Time.After(k.Clock.Now()) {
			break // the next one, or else the last one
		}
	}
	if id == uuid.Nil {
		return nil, errDraw
	}
	currencies, err := k.Exposure.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	var out []*exposure.Exposure
	for _, c := range currencies {
		e, err := k.Exposure.Of(ctx, by, &exposure.Request{DrawID: id, Currency: c.ID.String(), Top: exposure.MaxTop})
		if err != nil {
			return nil, err
		}
		if e.Lines > 0 || len(out) == 0 {
			out = append(out, e)
		}
	}
	if len(out) > 1 && out[0].Lines == 0 {
		out = out[1:]
	}
	return out, nil
}

// titled is a result about a draw.
func (k *kit) titled(e *exposure.Exposure, columns ...string) *assistant.Result {
	at := e.Draw.Time.In(k.Zone)
	return &assistant.Result{
		From: e.Draw.LocalDate, To: e.Draw.LocalDate, Columns: columns, Link: linkExposure + "/" + e.Draw.ID.String(),
		About: name(e.Game) + " " + name(e.Draw.Number) + " " + at.Format("15:04"),
		Facts: []assistant.Fact{
			{Name: "draw_sales", Value: amount(e.Sales, e.Currency), Unit: e.Currency.Unit()},
			{Name: "draw_lines", Value: count(e.Lines)}, {Name: "time", Value: at.Format("15:04")},
		},
	}
}

func (k *kit) topNumbers(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, err := k.exposed(ctx, by, &a)
	if err != nil {
		return nil, err
	}
	out := k.titled(list[0], "currency", "number", "name", "stake", "liability", "lines")
	for _, e := range list {
		slices.SortStableFunc(e.Top, func(x, y exposure.Outcome) int { return int(min(max(y.Stake-x.Stake, -1), 1)) })
		for i := range e.Top[:min(len(e.Top), top(&a))] {
			o := &e.Top[i]
			if o.Stake > 0 {
				out.Rows = append(out.Rows, []string{e.Currency.Unit(), o.Value + o.Sign, name(o.Name), amount(o.Stake, e.Currency), amount(o.Liability, e.Currency), count(o.Lines)})
			}
		}
	}
	return out, nil
}

func (k *kit) exposure(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, err := k.exposed(ctx, by, &a)
	if err != nil {
		return nil, err
	}
	out := k.titled(list[0], "currency", "number", "name", "stake", "liability", "result_if_drawn")
	for _, e := range list {
		outcomes := e.Top[:min(len(e.Top), top(&a))]
		if a.Number != "" {
			outcomes = slices.DeleteFunc(slices.Clone(e.Top), func(o exposure.Outcome) bool { return !sameNumber(o.Value, a.Number) })
		}
		for i := range outcomes {
			o := &outcomes[i]
			if o.Liability > 0 {
				out.Rows = append(out.Rows, []string{e.Currency.Unit(), o.Value + o.Sign, name(o.Name), amount(o.Stake, e.Currency), amount(o.Liability, e.Currency), amount(o.Result, e.Currency)})
			}
		}
	}
	if a.Number != "" && len(out.Rows) == 0 {
		out.Note = "nobody bet on this number, or not among the dearest outcomes"
	}
	return out, nil
}

// sameNumber compares numbers as people write them: "5" is "05", but "0" is not "00".
func sameNumber(value, typed string) bool {
	typed = strings.TrimSpace(typed)
	return value == typed || strings.Trim(value, "0") != "" && strings.TrimLeft(value, "0") == strings.TrimLeft(typed, "0")
}

func top(a *assistant.Arguments) int {
	if a.Top <= 0 {
		return topRows
	}
	return min(a.Top, maxRows)
}
