package tickets

import (
	"slices"
	"time"

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

// moment is an event of the story of a ticket.
type moment struct {
	at                 time.Time
	class, title, text string
	link               string
}

// Story is the timeline of the ticket: its sale, messages, results, prize and payments, in order of time.
func (p *ticketPage) Story(v *kit.View) *kit.Timeline {
	all := []moment{{at: p.CreatedAt, class: "good", title: v.T("tickets.sold.at", p.Entity), text: currency.Text(v, p.Total, p.Currency)}}
	if !p.CancelledAt.IsZero() {
		all = append(all, moment{at: p.CancelledAt, class: "bad", title: v.T("state.prize.cancelled")})
	}
	all = append(append(all, p.told(v)...), p.results(v)...)
	if p.Prize != nil {
		all = append(all, p.paid(v)...)
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	story := v.Timeline()
	for i := range all {
		m := &all[i]
		story.Add(m.class, m.title, m.at).WithText(m.text)
		if m.link != "" {
			story.To(m.link)
		}
	}
	return story
}

// told are the messages about the ticket.
func (p *ticketPage) told(v *kit.View) []moment {
	list := make([]moment, len(p.messages))
	for i := range p.messages {
		m := &p.messages[i]
		list[i] = moment{at: m.CreatedAt, title: v.T("message.kind." + m.Kind), text: v.T("state.message." + m.Status), link: links.Messages + "/" + m.ID.String()}
		if m.Status == models.MessageFailed {
			list[i].class = "bad"
		}
	}
	return list
}

// results are the draws of the ticket that were settled or suspended.
func (p *ticketPage) results(v *kit.View) (list []moment) {
	seen := map[uuid.UUID]bool{}
	for i := range p.Lines {
		d := p.draws[p.Lines[i].DrawID]
		if d == nil || seen[d.ID] {
			continue
		}
		seen[d.ID] = true
		m := moment{title: v.T("tickets.result.of", d.Game.Name, v.Clock(d.Time))}
		switch {
		case !d.SuspendedAt.IsZero():
			m.at, m.class, m.text = d.SuspendedAt, "bad", v.T("state.draw.suspended")
		case !d.SettledAt.IsZero():
			m.at, m.text = d.SettledAt, d.Result
		default:
			continue
		}
		if address := links.Draws + "/" + d.ID.String(); p.opens(address) {
			m.link = address
		}
		list = append(list, m)
	}
	return list
}

// paid are what happened to the prize.
func (p *ticketPage) paid(v *kit.View) (list []moment) {
	if at := p.Prize.SettledAt; !at.IsZero() {
		won := moment{at: at, title: v.T("state.prize.lost")}
		if p.Prize.Prize.Prize > 0 {
			won = moment{at: at, class: "good", title: v.T("tickets.won"), text: currency.Text(v, p.Prize.Prize.Prize, p.Currency)}
		}
		list = append(list, won)
	}
	for i := range p.Prize.Payments {
		paid := &p.Prize.Payments[i]
		list = append(list, moment{at: paid.PaidAt, class: "good", title: v.T("tickets.paid"), text: currency.Text(v, paid.Amount, p.Currency), link: p.prizeAddress()})
		if !paid.CancelledAt.IsZero() {
			list = append(list, moment{at: paid.CancelledAt, class: "bad", title: v.T("tickets.unpaid"), text: paid.CancelReason, link: p.prizeAddress()})
		}
	}
	return list
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
