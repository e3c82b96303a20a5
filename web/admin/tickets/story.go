package tickets

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/models"
	"banca/web/admin/links"
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
	all := []moment{{at: p.CreatedAt, class: "good", title: v.T("tickets.sold.at", p.Entity), text: v.Money(p.Total, p.Currency.Digits) + " " + p.Currency.Unit()}}
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
	digits, unit := p.Currency.Digits, p.Currency.Unit()
	if at := p.Prize.SettledAt; !at.IsZero() {
		won := moment{at: at, title: v.T("state.prize.lost")}
		if p.Prize.Prize.Prize > 0 {
			won = moment{at: at, class: "good", title: v.T("tickets.won"), text: v.Money(p.Prize.Prize.Prize, digits) + " " + unit}
		}
		list = append(list, won)
	}
	for i := range p.Prize.Payments {
		paid := &p.Prize.Payments[i]
		list = append(list, moment{at: paid.PaidAt, class: "good", title: v.T("tickets.paid"), text: v.Money(paid.Amount, digits) + " " + unit, link: p.prizeAddress()})
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
