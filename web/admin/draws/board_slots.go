package draws

import (
	"slices"
	"strings"
	"time"

	"banca/internal/draws"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/drawstate"
	"banca/web/kit"
)

// undecided reports whether the draw can still cost something that is not known.
func (s *slot) undecided() bool {
	return s.Value == "" && (s.Status == models.DrawOpen || s.Status == models.DrawClosed)
}

// take takes the totals of the draw, and what won.
func (s *slot) take(f *rollup.Figures, won draws.Won) {
	s.Sold, s.Kept = f.NetSales(), f.Kept()
	s.Prizes, s.Winners = f.Won, won.Tickets
	if won.Tickets > 0 { // the totals follow some seconds later
		s.Prizes = won.Prizes
	}
}

// state is the state of a draw as the user sees it.
func (p *boardPage) state(s *slot) string {
	return drawstate.Of(&s.View, p.now, p.Tickets)
}

// slotView is a slot as the board writes it.
type slotView struct {
	*slot

	State  string
	Text   string // instead of the countdown
	Stop   *kit.Countdown
	Spoken string // everything, for the tooltip
	Sum    string
	Few    string // the number of tickets
	Clock  string
	Second string // what is due at worst, or what was won
}

// Slot returns a slot for the template.
func (p *boardPage) Slot(v *kit.View, s *slot) *slotView {
	view := &slotView{slot: s, State: p.state(s), Clock: v.TimeOfDay(s.Time)}
	switch view.Text = s.Result; {
	case view.State == models.DrawOpen:
		view.Stop = v.Countdown(s.SaleStopAt)
	case view.Text == "" || view.State == models.DrawSuspended:
		view.Text = v.State("draw", view.State).Text
	}
	digits, unit := p.Currency.Digits, p.Currency.Unit()
	spoken := []string{s.Game.Name + " " + v.TimeOfDay(s.Time), view.Text}
	if view.Stop != nil {
		spoken[1] = v.T("board.closes", v.TimeOfDay(s.SaleStopAt))
	}
	if s.Sold != 0 {
		view.Sum = v.Whole(s.Sold, digits)
		spoken = append(spoken, v.T("board.spoken.sold", v.Money(s.Sold, digits), unit))
	}
	if s.Tickets > 0 {
		view.Few = v.N("board.tickets", s.Tickets)
		spoken = append(spoken, view.Few)
	}
	switch {
	case s.Worst > 0:
		view.Second = "▼ " + v.Whole(s.Worst, digits)
		spoken = append(spoken, v.T("board.spoken.worst", v.Money(s.Worst, digits), unit, s.Name))
	case s.Winners > 0:
		view.Second = "★ " + v.Count(s.Winners) + " · " + v.Whole(s.Prizes, digits)
		spoken = append(spoken, v.N("board.winners", s.Winners, v.Money(s.Prizes, digits), unit))
	case s.Prizes > 0:
		view.Second = "★ " + v.Whole(s.Prizes, digits)
		spoken = append(spoken, v.T("board.spoken.prizes", v.Money(s.Prizes, digits), unit))
	}
	view.Spoken = strings.Join(spoken, ", ")
	return view
}

// OfGame is the sum of what was sold on a game.
func (p *boardPage) OfGame(v *kit.View, g boardGame) string {
	return p.sum(v, func(s *slot) bool { return s.Game.ID == g.ID })
}

// OfHour is the sum of what was sold on the draws of an hour.
func (p *boardPage) OfHour(v *kit.View, hour int) string {
	return p.sum(v, func(s *slot) bool { return s.Hour == hour })
}

// OfDay is the sum of what was sold on all draws.
func (p *boardPage) OfDay(v *kit.View) string {
	return p.sum(v, func(*slot) bool { return true })
}

func (p *boardPage) sum(v *kit.View, include func(s *slot) bool) string {
	var sold money.Amount
	for i := range p.slots {
		if include(&p.slots[i]) {
			sold += p.slots[i].Sold
		}
	}
	if sold == 0 {
		return ""
	}
	return v.Whole(sold, p.Currency.Digits)
}

// fold finds the hours of today that are over: with the hour before this one, all of their draws have their results, or need none.
func (p *boardPage) fold(today businessday.Day) {
	p.Folds, p.Over, p.Later = p.Day == today, map[int]bool{}, map[int]bool{}
	for _, hour := range p.Hours {
		p.Over[hour] = p.Folds && hour+1 < p.now.Hour()
		p.Later[hour] = p.Folds && hour > p.now.Hour()+1
	}
	for i := range p.slots {
		s := &p.slots[i]
		p.Over[s.Hour] = p.Over[s.Hour] && p.decided(s)
	}
}

// decided reports whether a draw waits for nothing: it has its result, or needs none.
func (p *boardPage) decided(s *slot) bool {
	return slices.Contains([]string{models.DrawResulted, models.DrawSettled, models.DrawSuspended, drawstate.Unsold}, p.state(s))
}

// quiet reports whether nothing was sold on the draws of a game, and none waits for anything.
func (p *boardPage) quiet(g *boardGame) bool {
	for _, hour := range g.Slots {
		for _, s := range hour {
			if s.Sold != 0 || s.Tickets != 0 || !p.decided(s) {
				return false
			}
		}
	}
	return p.Money
}

// QuietText is the number of games that are folded; "" without one.
func (p *boardPage) QuietText(v *kit.View) string {
	if len(p.quietGames) == 0 {
		return ""
	}
	return v.N("board.quiet", len(p.quietGames))
}

// HourText is the head of the column of an hour.
func (p *boardPage) HourText(v *kit.View, hour int) string {
	return strings.Replace(v.TimeOfDay(p.Day.At(hour, 0, p.now.Location())), ":00", "", 1)
}

// boardFact is a figure above the board.
type boardFact struct{ ID, Figure, Text, Link string }

// Facts are the figures of the day.
func (p *boardPage) Facts(v *kit.View) []boardFact {
	var sold, kept, prizes money.Amount
	states := map[string]int64{}
	for i := range p.slots {
		s := &p.slots[i]
		sold, kept, prizes = sold+s.Sold, kept+s.Kept, prizes+s.Prizes
		states[p.state(s)]++
	}
	var facts []boardFact
	amount := func(id, key string, a money.Amount) {
		facts = append(facts, boardFact{ID: id, Figure: currency.Text(v, a, p.Currency), Text: v.T(key)})
	}
	if p.Money {
		amount("f-sold", "board.all.sold", sold)
		amount("f-prizes", "board.all.prizes", prizes)
		amount("f-result", "board.all.result", kept-prizes)
	}
	count := func(id, key, link string, n int64) {
		facts = append(facts, boardFact{ID: id, Figure: v.Count(n), Text: v.T(key), Link: link})
	}
	count("f-open", "board.onsale", "", states[models.DrawOpen])
	link := ""
	if p.Entering {
		link = resultsPath + "?date=" + p.Day.String()
	}
	if n := states[drawstate.Late]; n > 0 {
		count("f-late", "board.late", link, n)
	}
	if n := states[models.ResultProposed]; n > 0 {
		count("f-proposed", "board.proposed", link, n)
	}
	return facts
}

// columns are those of the board's file.
func (p *boardPage) columns() []kit.Column[slot] {
	amount := kit.AmountsOf(func(*slot) int { return p.Currency.Digits })
	columns := []kit.Column[slot]{
		kit.TextColumn("label.game", func(s *slot) string { return s.Game.Name }),
		kit.TextColumn("label.draw", func(s *slot) string { return s.Number }),
		kit.TimeColumn("label.time", func(s *slot) time.Time { return s.Time }),
		kit.StateColumn("draw", p.state),
		kit.TextColumn("label.result", func(s *slot) string { return s.Result }),
	}
	if p.Money {
		columns = append(columns,
			amount("risk.sold", func(s *slot) money.Amount { return s.Sold }),
			amount("draw.prizes", func(s *slot) money.Amount { return s.Prizes }),
			kit.CountColumn("draw.winners", func(s *slot) int { return s.Winners }))
	}
	if p.Tickets {
		columns = append(columns, kit.CountColumn("draw.tickets", func(s *slot) int64 { return s.Tickets }))
	}
	if p.Risk {
		columns = append(columns, amount("risk.worst", func(s *slot) money.Amount { return s.Worst }), kit.TextColumn("exposure.outcome", func(s *slot) string { return s.Name }))
	}
	return append(columns, kit.TextColumn("label.currency", func(*slot) string { return p.Currency.Code }))
}
