package closes

import (
	"time"

	"banca/internal/closes"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// handoverColumns are the columns of the handovers of a close.
func handoverColumns(c *closes.Close) []kit.Column[closes.Handover] {
	amount := kit.AmountsOf(func(*closes.Handover) int { return c.Currency.Digits })
	return []kit.Column[closes.Handover]{
		kit.TimeColumn("handover.given", func(h *closes.Handover) time.Time { return h.GivenAt }),
		kit.TextColumn("handover.by", func(h *closes.Handover) string { return h.Giver }),
		{Title: "handover.to", Cell: func(v *kit.View, h *closes.Handover) kit.Cell {
			if h.TakenAt.IsZero() {
				return kit.Badges(kit.Badge{Tone: kit.ToneWaiting, Text: v.T("handover.waits")})
			}
			return kit.Text(h.Taker).WithSecondLine(v.Clock(h.TakenAt))
		}},
		amount("closes.expected.cash", func(h *closes.Handover) money.Amount { return h.Expected }),
		amount("closes.counted", func(h *closes.Handover) money.Amount { return h.Counted }),
		amount("closes.variance", func(h *closes.Handover) money.Amount { return h.Variance() }),
		kit.TextColumn("label.note", func(h *closes.Handover) string { return h.Note }),
	}
}
