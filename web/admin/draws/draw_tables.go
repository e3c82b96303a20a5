package draws

import (
	"strconv"
	"time"

	"banca/internal/draws"
	"banca/internal/money"
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
			return kit.Mono(r.Outcome.String())
		}},
		kit.StateColumn("result", func(r *draws.Result) string { return r.Status }),
		{Title: "draw.origin", Cell: func(v *kit.View, r *draws.Result) kit.Cell { return kit.Text(originText(v, r)) }},
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

func changeColumns() []kit.Column[moneyChange] {
	return []kit.Column[moneyChange]{
		kit.TextColumn("label.currency", func(c *moneyChange) string { return c.Currency }),
		kit.CountColumn("draw.lowered", func(c *moneyChange) int { return c.Lowered }),
		kit.CountColumn("draw.raised", func(c *moneyChange) int { return c.Raised }),
		kit.AmountColumn("draw.before", func(c *moneyChange) (money.Amount, int) { return c.Before, c.Digits }),
		kit.AmountColumn("draw.after", func(c *moneyChange) (money.Amount, int) { return c.After, c.Digits }),
		{Title: "draw.overpaid", Number: true, Cell: func(v *kit.View, c *moneyChange) kit.Cell {
			return kit.Text(v.Money(c.Overpaid, c.Digits) + " (" + strconv.Itoa(c.OverpaidTickets) + ")")
		}},
		{Title: "draw.underpaid", Number: true, Cell: func(v *kit.View, c *moneyChange) kit.Cell {
			return kit.Text(v.Money(c.Underpaid, c.Digits) + " (" + strconv.Itoa(c.UnderpaidTickets) + ")")
		}},
	}
}
