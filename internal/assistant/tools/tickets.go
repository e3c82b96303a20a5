package tools

import (
	"context"
	"strings"
	"time"

	"banca/internal/assistant"
	"banca/internal/closes"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/internal/tickets"
	"banca/models"
)

// instant writes a time of the business zone.
func (k *kit) instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(k.Zone).Format("2006-01-02 15:04")
}

func (k *kit) pendingPrizes(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	f := &prizes.Filter{Limit: topRows}
	out := &assistant.Result{Columns: []string{"currency", "serial", "ticket_point", "won", "sold_at", "expires_at"}, Link: linkPrizes + "?status=" + models.TicketWon}
	if strings.TrimSpace(a.Date) != "" {
		days, err := k.days(a.Date)
		if err != nil {
			return nil, err
		}
		f.Date, f.Through = days.From, days.To
		out.From, out.To = days.From, days.To
		if days.One() { // the page has a day and no period
			out.Link += "&date=" + days.To.String()
		}
	}
	sums, err := k.Prizes.Summary(ctx, by, f)
	if err != nil {
		return nil, err
	}
	for i := range sums {
		s := &sums[i]
		unit := s.Currency.Unit()
		out.Facts = append(
			out.Facts, assistant.Fact{Name: "pending", Value: amount(s.Won, s.Currency), Unit: unit}, assistant.Fact{Name: "pending_tickets", Value: count(s.WonTickets)},
			assistant.Fact{Name: "paid", Value: amount(s.Paid, s.Currency), Unit: unit}, assistant.Fact{Name: "paid_tickets", Value: count(s.PaidTickets)},
			assistant.Fact{Name: "expired", Value: amount(s.Expired, s.Currency), Unit: unit}, assistant.Fact{Name: "expired_tickets", Value: count(s.ExpiredOnes)},
		)
	}
	if len(sums) == 0 {
		out.Note = "no prizes"
	}
	f.State = models.TicketWon
	list, total, err := k.Prizes.List(ctx, by, f)
	if err != nil {
		return nil, err
	}
	out.Total = total
	for i := range list {
		p := &list[i]
		out.Rows = append(out.Rows, []string{p.Currency.Unit(), p.Serial, name(p.Entity), amount(p.Prize, p.Currency), k.instant(p.SoldAt), k.instant(p.ExpiresAt)})
	}
	return out, nil
}

func (k *kit) ticket(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, _, err := k.Sales.List(ctx, by, sales.Filter{Serial: strings.ToUpper(strings.TrimSpace(a.Serial)), Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, tickets.ErrNotFound
	}
	t := &list[0]
	day := businessday.Of(t.CreatedAt, k.Zone)
	out := &assistant.Result{
		From: day, To: day, About: t.SerialCode, Columns: []string{"game", "draw", "time", "selection", "name", "amount", "potential"}, Total: int64(len(t.Lines)),
		Facts: []assistant.Fact{
			{Name: "status", Value: t.Status}, {Name: "total", Value: amount(t.Total, t.Currency), Unit: t.Currency.Unit()},
			{Name: "sold_at", Value: k.instant(t.CreatedAt)}, {Name: "expires_at", Value: k.instant(t.ExpiresAt)},
		},
		Link: linkPrizes + "/" + t.ID.String(),
	}
	if detail, err := k.Prizes.Get(ctx, by, t.ID); err == nil && detail.Prize.Prize > 0 {
		out.Facts = append(out.Facts, assistant.Fact{Name: "won", Value: amount(detail.Prize.Prize, t.Currency), Unit: t.Currency.Unit()})
	}
	for i := range t.Lines[:min(len(t.Lines), maxRows)] {
		l := &t.Lines[i]
		out.Rows = append(out.Rows, []string{
			name(l.GameName), name(l.DrawNumber), k.instant(l.DrawTime), l.Selection, name(l.Name), amount(l.Amount, t.Currency), amount(l.PotentialPrize, t.Currency),
		})
	}
	return out, nil
}

func (k *kit) dailyClose(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	days, err := k.days(a.Date)
	if err != nil {
		return nil, err
	}
	list, total, err := k.Closes.List(ctx, by, &closes.Filter{From: days.From, To: days.To, Limit: maxRows})
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{
		From: days.From, To: days.To, Columns: []string{"entity", "day", "currency", "status", "sold", "prizes_paid", "expected_cash", "counted_cash", "variance"}, Total: total, Link: linkCloses + "?from=" + days.From.String() + "&to=" + days.To.String(),
	}
	for i := range list {
		c := &list[i]
		counted := ""
		if c.Counted {
			counted = amount(c.CashTotal, c.Currency)
		}
		sold, paid, expected := amount(c.Sales, c.Currency), amount(c.Prizes, c.Currency), amount(c.ExpectedCash(), c.Currency)
		if c.Blind {
			sold, paid, expected = "", "", ""
		}
		out.Rows = append(out.Rows, []string{name(c.Entity), c.Day.String(), c.Currency.Unit(), c.Status, sold, paid, expected, counted, amount(c.Variance(), c.Currency)})
	}
	missing, err := k.Closes.Missing(ctx, by, by.EntityID, days.To)
	if err != nil {
		return nil, err
	}
	out.Facts = []assistant.Fact{{Name: "not_closed", Value: count(int64(len(missing)))}}
	if !days.One() {
		out.Note = "not_closed is of the last day"
		out.Facts = append(out.Facts, assistant.Fact{Name: "not_closed_day", Value: days.To.String()})
	}
	for i := range missing[:min(len(missing), topRows)] {
		out.Facts = append(out.Facts, assistant.Fact{Name: "open_point", Value: name(missing[i].Entity), Unit: missing[i].Currency.Unit()})
	}
	return out, nil
}
