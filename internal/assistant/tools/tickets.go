package tools

import (
	"context"
	"strings"
	"time"

	"banca/internal/assistant"
	"banca/internal/businessday"
	"banca/internal/caller"
	"banca/internal/closes"
	"banca/internal/prizes"
	"banca/internal/sales"
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
	out := &assistant.Result{Columns: []string{"currency", "serial", "ticket_point", "prize", "sold_at", "expires_at"}, Link: linkPrizes}
	if strings.TrimSpace(a.Date) != "" {
		days, err := k.days(a.Date)
		if err != nil {
			return nil, err
		}
		f.Date, out.From, out.To = days.To, days.To, days.To
	}
	sums, err := k.Prizes.Summary(ctx, by, f)
	if err != nil {
		return nil, err
	}
	var notes []string
	for i := range sums {
		s := &sums[i]
		notes = append(notes, s.Currency.Code+": pending "+amount(s.Won, s.Currency)+" in "+count(s.WonTickets)+" tickets, paid "+amount(s.Paid, s.Currency)+" in "+count(s.PaidTickets)+
			" tickets, expired "+amount(s.Expired, s.Currency)+" in "+count(s.ExpiredOnes)+" tickets")
	}
	out.Note = strings.Join(notes, "; ")
	if out.Note == "" {
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
		out.Rows = append(out.Rows, []string{p.Currency.Code, p.Serial, name(p.Entity), amount(p.Prize, p.Currency), k.instant(p.SoldAt), k.instant(p.ExpiresAt)})
	}
	return out, nil
}

func (k *kit) ticket(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	list, _, err := k.Sales.List(ctx, by, sales.Filter{Serial: strings.ToUpper(strings.TrimSpace(a.Serial)), Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, sales.ErrTicketNotFound
	}
	t := &list[0]
	day := businessday.Of(t.CreatedAt, k.Zone)
	out := &assistant.Result{
		From: day, To: day, About: t.SerialCode, Columns: []string{"game", "draw", "time", "selection", "name", "amount", "potential"}, Total: int64(len(t.Lines)),
		Note: "status " + t.Status + ", total " + amount(t.Total, t.Currency) + " " + t.Currency.Code + ", potential prize " + amount(t.PotentialPrize, t.Currency) +
			", sold at " + k.instant(t.CreatedAt) + ", expires at " + k.instant(t.ExpiresAt),
		Link: linkPrizes + "/" + t.ID.String(),
	}
	if detail, err := k.Prizes.Get(ctx, by, t.ID); err == nil && detail.Prize.Prize > 0 {
		out.Note += ", prize " + amount(detail.Prize.Prize, t.Currency)
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
		From: days.From, To: days.To, Columns: []string{"entity", "day", "currency", "status", "sold", "prizes_paid", "expected_cash", "counted_cash", "variance"}, Total: total, Link: linkCloses,
	}
	for i := range list {
		c := &list[i]
		counted := ""
		if c.Counted {
			counted = amount(c.CashTotal, c.Currency)
		}
		out.Rows = append(out.Rows, []string{
			name(c.Entity), c.Day.String(), c.Currency.Code, c.Status, amount(c.Sales, c.Currency), amount(c.Prizes, c.Currency), amount(c.ExpectedCash(), c.Currency), counted, amount(c.Variance(), c.Currency),
		})
	}
	missing, err := k.Closes.Missing(ctx, by, by.EntityID, days.To)
	if err != nil {
		return nil, err
	}
	out.Note = "ticket points that have not closed: " + count(int64(len(missing)))
	for i := range missing[:min(len(missing), topRows)] {
		out.Note += "; " + name(missing[i].Entity) + " " + missing[i].Currency.Code
	}
	return out, nil
}
