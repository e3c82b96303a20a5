package bank

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/internal/platform/businessday"
	"banca/internal/platform/health"
	"banca/internal/platform/money"
	"banca/web/admin/parts/age"
	"banca/web/kit"
)

// frontPage is what waits at the bank, the payments of the last days, and how the bank identifies itself.
type frontPage struct {
	*bank.Totals

	Identity *bank.Identity
	Calls    *health.Bank // nil while they are not known
	Today    businessday.Day
	waiting  []paymentRow
}

const (
	shownWaiting = 10  // payments
	shownDays    = 14  // of the chart
	daysHigh     = 150 // in pixels
)

func (p *pages) loadFront(r *kit.Request) (page *frontPage, err error) {
	ctx := r.Context()
	page = &frontPage{Today: r.Today(), Calls: p.Health.Snapshot().Bank}
	if page.Totals, err = p.Bank.Totals(ctx, r.Caller, page.first(), page.Today); err != nil {
		return nil, err
	}
	if page.Identity, err = p.Bank.Identity(ctx, r.Caller); err != nil {
		return nil, err
	}
	waiting, _, err := p.Bank.Payments(ctx, r.Caller, &bank.PaymentFilter{States: bank.Waiting(), Limit: shownWaiting})
	if err != nil {
		return nil, err
	}
	likely, err := p.Bank.Likely(ctx, r.Caller, waiting)
	names := kit.EntityNames(r, likely, func(q *bank.Request) uuid.UUID { return q.EntityID })
	for i := range likely {
		page.waiting = append(page.waiting, paymentRow{waiting[i], names[likely[i].EntityID], likely[i]})
	}
	return page, err
}

func (p *frontPage) first() businessday.Day { return p.Today.AddDays(1 - shownDays) }

// CreditedToday is the sum of the payments of today.
func (p *frontPage) CreditedToday() bank.Total { return p.Credited[shownDays-1] }

// Days is the chart of the credited amounts by day.
func (p *frontPage) Days(v *kit.View) *kit.StepBars {
	c := &kit.StepBars{Caption: v.T("bank.front.days", p.Currency.Unit()), Digits: p.Currency.Digits, Height: daysHigh}
	c.Days(v, p.first(), p.Today)
	sums := kit.Map(p.Credited, func(t *bank.Total) money.Amount { return t.Amount })
	c.Series = []kit.StepSeries{{Title: v.T("state.payment.credited"), Hue: kit.HueSales, Values: sums}}
	return c.Draw()
}

// Waiting lists the newest payments that wait for an operator, each with its age and a link to its resolution.
func (p *frontPage) Waiting() kit.Rows {
	columns := paymentColumns()
	columns[0] = columns[0].Below(func(v *kit.View, row *paymentRow) string { return ago(v, row.ReceivedAt) })
	return kit.RowsOf(append(columns, kit.Column[paymentRow]{Cell: func(v *kit.View, row *paymentRow) kit.Cell {
		return kit.Text(v.T("bank.front.do." + row.State)).To(rowAddress(row) + "#similar")
	}}), p.waiting, rowAddress, "bank.payments.none")
}

// Ago says how long ago an instant was.
func (*frontPage) Ago(v *kit.View, at time.Time) string { return ago(v, at) }

func ago(v *kit.View, at time.Time) string { return v.T("health.ago", age.Text(v, v.Now().Sub(at))) }
