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
	"banca/internal/caller"
	"banca/internal/draws"
	"banca/internal/exposure"
)

const maxDraws = 200 // of a day

// draws returns the draws that a call means, of the last day of its period.
func (k *kit) draws(ctx context.Context, a *assistant.Arguments) ([]draws.View, dates.Range, error) {
	days, err := k.days(a.Date)
	if err != nil {
		return nil, days, err
	}
	days.From = days.To
	game, err := k.game(ctx, a.Game)
	if err != nil {
		return nil, days, err
	}
	f := &draws.ViewFilter{Date: days.To, Limit: maxDraws}
	if game != nil {
		f.GameID = game.ID
	}
	list, _, err := k.Draws.Views(ctx, f)
	if err != nil {
		return nil, days, err
	}
	if minutes, ok := clockTime(a.Time); ok {
		list = slices.DeleteFunc(list, func(v draws.View) bool {
			at := v.Time.In(k.Zone)
			return at.Hour()*60+at.Minute() != minutes
		})
	}
	return list, days, nil
}

var timeForm = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2}))?(am|pm|de la manana|de la tarde|de la noche)?$`)

// clockTime reads a time of day in minutes. "7" is seven in the evening, because draws are from eight in the morning on.
func clockTime(text string) (int, bool) {
	plain := strings.NewReplacer("a. m.", "am", "p. m.", "pm", "a.m.", "am", "p.m.", "pm", " am", "am", " pm", "pm", "las ", "", "la ", "").Replace(dates.Normalise(text))
	plain = strings.NewReplacer("de manana", "am", "de tarde", "pm", "de noche", "pm", " ", "").Replace(plain)
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
	const half, earliest = 12, 8
	switch {
	case m[3] == "pm" && hour < half, m[3] == "" && hour < earliest && hour > 0:
		hour += half
	case m[3] == "am" && hour == half:
		hour = 0
	}
	return hour*60 + minute, true
}

func (k *kit) drawStatus(ctx context.Context, _ caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, days, err := k.draws(ctx, &a)
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{From: days.From, To: days.To, Columns: []string{"game", "draw", "time", "status", "winner"}, Link: linkDraws + "?date=" + days.To.String(), Total: int64(len(list))}
	if len(list) > maxRows { // those around now
		now, at := k.Clock.Now(), 0
		for at < len(list)-maxRows && list[at+maxRows/2].Time.Before(now) {
			at++
		}
		list = list[at : at+maxRows]
		out.Note = "only some of the draws of the day; name a game or a time for others"
	}
	for i := range list {
		v := &list[i]
		out.Rows = append(out.Rows, []string{name(v.Game.Name), name(v.Number), v.Time.In(k.Zone).Format("15:04"), v.Status, name(v.Value)})
	}
	return out, nil
}

// exposed returns the exposure of the draw that a call means, in each currency: the next one of those that it names, else the last one.
func (k *kit) exposed(ctx context.Context, by caller.Caller, a *assistant.Arguments) ([]*exposure.Exposure, dates.Range, error) {
	list, days, err := k.draws(ctx, a)
	if err != nil {
		return nil, days, err
	}
	id := uuid.Nil
	for i := range list {
		if id = list[i].ID; list[i].Time.After(k.Clock.Now()) {
			break // the next one, or else the last one
		}
	}
	if id == uuid.Nil {
		return nil, days, errDraw
	}
	currencies, err := k.Exposure.Currencies(ctx)
	if err != nil {
		return nil, days, err
	}
	var out []*exposure.Exposure
	for _, c := range currencies {
		e, err := k.Exposure.Of(ctx, by, &exposure.Request{DrawID: id, Currency: c.ID.String(), Top: exposure.MaxTop})
		if err != nil {
			return nil, days, err
		}
		if e.Lines > 0 || len(out) == 0 {
			out = append(out, e)
		}
	}
	if len(out) > 1 && out[0].Lines == 0 {
		out = out[1:]
	}
	return out, days, nil
}

// titled is a result about a draw.
func (k *kit) titled(e *exposure.Exposure, days dates.Range, columns ...string) *assistant.Result {
	return &assistant.Result{
		From: days.From, To: days.To, Columns: columns, Link: linkExposure + "/" + e.Draw.ID.String(),
		About: name(e.Game) + " " + name(e.Draw.Number) + " " + e.Draw.Time.In(k.Zone).Format("15:04"),
		Facts: []assistant.Fact{{Name: "draw_sales", Value: amount(e.Sales, e.Currency), Unit: e.Currency.Code}, {Name: "draw_lines", Value: count(e.Lines)}},
	}
}

func (k *kit) topNumbers(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, days, err := k.exposed(ctx, by, &a)
	if err != nil {
		return nil, err
	}
	out := k.titled(list[0], days, "currency", "number", "name", "stake", "liability", "lines")
	for _, e := range list {
		slices.SortStableFunc(e.Top, func(x, y exposure.Outcome) int { return int(min(max(y.Stake-x.Stake, -1), 1)) })
		for i := range e.Top[:min(len(e.Top), top(&a))] {
			o := &e.Top[i]
			if o.Stake > 0 {
				out.Rows = append(out.Rows, []string{e.Currency.Code, o.Value + o.Sign, name(o.Name), amount(o.Stake, e.Currency), amount(o.Liability, e.Currency), count(o.Lines)})
			}
		}
	}
	return out, nil
}

func (k *kit) exposure(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, days, err := k.exposed(ctx, by, &a)
	if err != nil {
		return nil, err
	}
	out := k.titled(list[0], days, "currency", "number", "name", "stake", "liability", "result")
	for _, e := range list {
		outcomes := e.Top[:min(len(e.Top), top(&a))]
		if a.Number != "" {
			outcomes = slices.DeleteFunc(slices.Clone(e.Top), func(o exposure.Outcome) bool { return !sameNumber(o.Value, a.Number) })
		}
		for i := range outcomes {
			o := &outcomes[i]
			if o.Liability > 0 {
				out.Rows = append(out.Rows, []string{e.Currency.Code, o.Value + o.Sign, name(o.Name), amount(o.Stake, e.Currency), amount(o.Liability, e.Currency), amount(o.Result, e.Currency)})
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
