package tickets

import (
	"github.com/google/uuid"

	"banca/internal/draws"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// Story is the timeline of the ticket: its sale, messages, results, prize and payments, in order of time.
func (p *ticketPage) Story(v *kit.View) *kit.Timeline {
	t := v.Timeline().Add("good", v.T("tickets.sold.at", p.Entity), p.CreatedAt).WithText(currency.Text(v, p.Total, p.Currency)).
		AddIf("bad", v.T("state.prize.cancelled"), p.CancelledAt)
	p.addMessages(v, t)
	p.addResults(v, t)
	if p.Prize != nil {
		p.addPrize(v, t)
	}
	return t.Sorted()
}

func (p *ticketPage) addMessages(v *kit.View, t *kit.Timeline) {
	for i := range p.messages {
		m, class := &p.messages[i], ""
		if m.Status == models.MessageFailed {
			class = "bad"
		}
		t.Add(class, v.T("message.kind."+m.Kind), m.CreatedAt).WithText(v.T("state.message." + m.Status)).To(links.Messages + "/" + m.ID.String())
	}
}

// addResults adds the draws of the ticket that were settled or suspended.
func (p *ticketPage) addResults(v *kit.View, t *kit.Timeline) {
	seen := map[uuid.UUID]bool{}
	for i := range p.Lines {
		d := p.draws[p.Lines[i].DrawID]
		if d == nil || seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		title := v.T("tickets.result.of", d.Game.Name, v.Clock(d.Time))
		switch {
		case !d.SuspendedAt.IsZero():
			t.Add("bad", title, d.SuspendedAt).WithText(v.T("state.draw.suspended"))
		case !d.SettledAt.IsZero():
			t.Add("", title, d.SettledAt).WithText(d.Result)
		default:
			continue
		}
		if address := links.Draws + "/" + d.ID.String(); p.opens(address) {
			t.To(address)
		}
	}
}

// addPrize adds the settlement of the ticket and the payments of its prize.
func (p *ticketPage) addPrize(v *kit.View, t *kit.Timeline) {
	switch at := p.Prize.SettledAt; {
	case at.IsZero():
	case p.Prize.Prize.Prize > 0:
		t.Add("good", v.T("tickets.won"), at).WithText(currency.Text(v, p.Prize.Prize.Prize, p.Currency))
	default:
		t.Add("", v.T("state.prize.lost"), at)
	}
	for i := range p.Prize.Payments {
		paid := &p.Prize.Payments[i]
		t.Add("good", v.T("tickets.paid"), paid.PaidAt).WithText(currency.Text(v, paid.Amount, p.Currency)).To(p.prizeAddress())
		if !paid.CancelledAt.IsZero() {
			t.Add("bad", v.T("tickets.unpaid"), paid.CancelledAt).WithText(paid.CancelReason).To(p.prizeAddress())
		}
	}
}

// prizeAddress is the page on which the prize is paid; "" if the caller may not open it.
func (p *ticketPage) prizeAddress() string {
	if address := links.Prizes + "/" + p.ID.String(); p.opens(address) {
		return address
	}
	return ""
}

// PrizeLink is prizeAddress of a ticket that has or had a prize; "" otherwise.
func (p *ticketPage) PrizeLink() string {
	if p.Prize == nil || p.Prize.Prize.Prize == 0 && len(p.Prize.Lines) == 0 {
		return ""
	}
	return p.prizeAddress()
}

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
		kit.WrapColumn("label.selection", func(l *ticketLine) string { return selectionOf(l.Line) }).
			Below(func(v *kit.View, l *ticketLine) string { return v.T("bet." + l.BetType) }),
		kit.AmountColumn("label.stake", func(l *ticketLine) (money.Amount, int) { return l.Amount, l.digits }),
		kit.AmountColumn("tickets.possible", func(l *ticketLine) (money.Amount, int) { return l.PotentialPrize, l.digits }),
		{Title: "label.result", Cell: func(_ *kit.View, l *ticketLine) kit.Cell {
			if l.draw == nil {
				return kit.Cell{}
			}
			return kit.Text(l.draw.Result)
		}},
		{Title: "label.state", Lead: true, Cell: func(v *kit.View, l *ticketLine) kit.Cell {
			cell := kit.Badges(v.State("line", l.state()))
			if l.won != nil {
				cell = cell.WithSecondLine(v.T("label.prize") + " " + v.Money(l.won.Prize, l.digits))
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
