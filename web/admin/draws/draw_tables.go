package draws

import (
	"time"

	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

// versionColumns are those of the versions of a result; the value of a proposed one is hidden from a user who verifies it.
func versionColumns(page *drawPage) []kit.Column[draws.Result] {
	return []kit.Column[draws.Result]{
		kit.CountColumn("draw.version", func(r *draws.Result) int { return r.Version }),
		{Title: "label.result", Cell: func(v *kit.View, r *draws.Result) kit.Cell {
			if page.Hides() && r.Status == models.ResultProposed {
				return kit.Cell{Text: v.T("draw.hidden"), Style: "faint"}
			}
			return kit.Text(page.game.ResultText(r.Outcome.String()))
		}},
		kit.StateColumn("result", func(r *draws.Result) string { return r.Status }),
		kit.WordColumn("draw.origin", func(v *kit.View, r *draws.Result) string { return originText(v, r) }),
		kit.TimeColumn("draw.entered", func(r *draws.Result) time.Time { return r.EnteredAt }),
		kit.TimeColumn("draw.verified", func(r *draws.Result) time.Time { return r.VerifiedAt }),
		kit.TextColumn("label.reason", func(r *draws.Result) string { return r.Reason }),
	}
}

func soldColumns() []kit.Column[soldIn] {
	return []kit.Column[soldIn]{
		kit.TextColumn("label.currency", func(s *soldIn) string { return s.Currency }),
		kit.CountColumn("draw.tickets", func(s *soldIn) int { return s.Tickets }),
		kit.AmountColumn("draw.stakes", func(s *soldIn) (money.Amount, int) { return s.Stakes, s.Digits }),
		kit.CountColumn("draw.winners", func(s *soldIn) int { return s.Winners }),
		kit.AmountColumn("draw.prizes", func(s *soldIn) (money.Amount, int) { return s.Prizes, s.Digits }),
		kit.AmountColumn("draw.given_back", func(s *soldIn) (money.Amount, int) { return s.Refunded, s.Digits }),
	}
}

func pointColumns() []kit.Column[pointChange] {
	column := func(title string, of func(c *draws.Change) money.Amount) kit.Column[pointChange] {
		return kit.AmountColumn(title, func(p *pointChange) (money.Amount, int) { return of(&p.Change), p.Digits })
	}
	return []kit.Column[pointChange]{
		kit.TextColumn("label.ticket_point", func(p *pointChange) string { return p.Name }),
		column("draw.before", func(c *draws.Change) money.Amount { return c.Before }),
		column("draw.after", func(c *draws.Change) money.Amount { return c.After }),
		column("draw.overpaid", func(c *draws.Change) money.Amount { return c.Overpaid }),
		column("draw.underpaid", func(c *draws.Change) money.Amount { return c.Underpaid }),
	}
}

// Facts are all figures of a change, one below the other, so that none is out of sight in a narrow place.
func (c *moneyChange) Facts(v *kit.View) []kit.Fact {
	amount := func(a money.Amount) kit.Cell { return kit.Text(v.Money(a, c.Digits) + " " + c.Currency) }
	return []kit.Fact{
		{Name: v.T("draw.lowered"), Value: kit.Text(v.Count(int64(c.Lowered)))},
		{Name: v.T("draw.raised"), Value: kit.Text(v.Count(int64(c.Raised)))},
		{Name: v.T("draw.before"), Value: amount(c.Before).WithSecondLine(v.N("board.tickets", int64(c.WinnersBefore)))},
		{Name: v.T("draw.after"), Value: amount(c.After).WithSecondLine(v.N("board.tickets", int64(c.WinnersAfter)))},
		{Name: v.T("draw.undecided"), Value: amount(c.Undecided).WithSecondLine(v.N("board.tickets", int64(c.UndecidedTickets)))},
		{Name: v.T("draw.overpaid"), Value: amount(c.Overpaid).WithSecondLine(v.N("board.tickets", int64(c.OverpaidTickets)))},
		{Name: v.T("draw.underpaid"), Value: amount(c.Underpaid).WithSecondLine(v.N("board.tickets", int64(c.UnderpaidTickets)))},
	}
}
