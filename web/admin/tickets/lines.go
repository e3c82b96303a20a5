package tickets

import (
	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/web/admin/links"
	"banca/web/kit"
)

// ticketLine is a line with what its draw made of it.
type ticketLine struct {
	*sales.Line

	digits int
	draw   *draws.View         // nil for one that cannot be read
	won    *prizes.WinningLine // nil for none
	gone   bool                // the ticket is cancelled
	opens  bool                // the caller may open the draw
}

// LineRows is the table of the lines.
func (p *ticketPage) LineRows() kit.Rows {
	rows := make([]ticketLine, len(p.Lines))
	for i := range rows {
		l := &p.Lines[i]
		rows[i] = ticketLine{Line: l, digits: p.Currency.Digits, draw: p.draws[l.DrawID], gone: !p.CancelledAt.IsZero(), opens: p.opens(links.Draws + "/" + l.DrawID.String())}
		if p.Prize != nil {
			rows[i].won = winOf(p.Prize.Lines, i)
		}
	}
	return kit.RowsOf(lineColumns(), rows, nil, "")
}

// winOf returns the win of a line that counts; nil for none.
func winOf(list []prizes.WinningLine, number int) *prizes.WinningLine {
	for i := range list {
		if list[i].LineNo == number && list[i].AnnulledAt.IsZero() {
			return &list[i]
		}
	}
	return nil
}

// state is what became of the line.
func (l *ticketLine) state() string {
	switch {
	case l.gone:
		return "cancelled"
	case l.won != nil:
		return "won"
	case l.draw == nil:
		return "waiting"
	case !l.draw.SuspendedAt.IsZero():
		return "refunded"
	case l.draw.Value != "" && !l.draw.SettledAt.IsZero():
		return "lost"
	default:
		return "waiting"
	}
}

func lineColumns() []kit.Column[ticketLine] {
	return []kit.Column[ticketLine]{
		{Title: "label.draw", Cell: func(v *kit.View, l *ticketLine) kit.Cell {
			cell := kit.Wrap(l.GameName).WithSecondLine(v.Clock(l.DrawTime))
			if l.opens {
				cell = cell.To(links.Draws + "/" + l.DrawID.String())
			}
			return cell
		}},
		{Title: "label.selection", Cell: func(v *kit.View, l *ticketLine) kit.Cell {
			return kit.Wrap(selectionOf(l.Line)).WithSecondLine(v.T("bet." + l.BetType))
		}},
		kit.AmountColumn("label.stake", func(l *ticketLine) (money.Amount, int) { return l.Amount, l.digits }),
		kit.AmountColumn("tickets.possible", func(l *ticketLine) (money.Amount, int) { return l.PotentialPrize, l.digits }),
		{Title: "label.result", Cell: func(_ *kit.View, l *ticketLine) kit.Cell {
			if l.draw == nil {
				return kit.Cell{}
			}
			return kit.Text(l.draw.Result)
		}},
		{Title: "label.state", Cell: func(v *kit.View, l *ticketLine) kit.Cell {
			cell := kit.Badges(v.State("line", l.state()))
			if l.won != nil {
				cell = cell.WithSecondLine(v.Money(l.won.Prize, l.digits))
			}
			return cell
		}},
	}
}

// selectionOf returns the codes of a line with their names, such as "05 León".
func selectionOf(l *sales.Line) string {
	if l.Name == "" || l.Name == l.Selection {
		return l.Selection
	}
	return l.Selection + " " + l.Name
}
