package bank

import (
	"time"

	"banca/internal/bank"
	"banca/internal/platform/health"
	"banca/web/admin/parts/age"
	"banca/web/kit"
)

// frontPage is what waits at the bank, the payments of the day, and how the bank identifies itself.
type frontPage struct {
	*bank.Totals

	Identity *bank.Identity
	Calls    *health.Bank // nil while they are not known
	day      string       // in addresses
	waiting  []paymentRow
}

// shownWaiting bounds the payments that the page lists.
const shownWaiting = 10

func (p *pages) loadFront(r *kit.Request) (page *frontPage, err error) {
	ctx := r.Context()
	page = &frontPage{day: r.Today().String(), Calls: p.Health.Snapshot().Bank}
	if page.Totals, err = p.Bank.Totals(ctx, r.Caller, r.Today()); err != nil {
		return nil, err
	}
	if page.Identity, err = p.Bank.Identity(ctx, r.Caller); err != nil {
		return nil, err
	}
	waiting, _, err := p.Bank.Payments(ctx, r.Caller, &bank.PaymentFilter{States: bank.Waiting(), Limit: shownWaiting})
	page.waiting = kit.Map(waiting, func(p *bank.Payment) paymentRow { return paymentRow{Payment: *p} })
	return page, err
}

// Tiles are the sums of the day and of what waits, each with the list behind it.
func (p *frontPage) Tiles(v *kit.View) []*kit.Stat {
	tile := func(t bank.Total, label, query string) *kit.Stat {
		return v.Stat(t.Amount, p.Currency.Digits, v.T(label)).WithUnit(p.Currency.Unit()).WithHint(v.N("bank.payments.count", int(t.Payments))).To(paymentsPath + query)
	}
	return []*kit.Stat{
		tile(p.Credited, "bank.front.credited", "?from="+p.day+"&to="+p.day), tile(p.Unreconciled, "list.unreconciled", "?list=unreconciled"),
		tile(p.Conflicted, "list.conflicts", "?list=conflicts"),
	}
}

// Waiting lists the newest payments that wait for an operator, each with its age and a link to its resolution.
func (p *frontPage) Waiting() kit.Rows {
	columns := paymentColumns()
	columns[0] = columns[0].Below(func(v *kit.View, row *paymentRow) string { return p.Ago(v, row.ReceivedAt) })
	return kit.RowsOf(append(columns, kit.Column[paymentRow]{Cell: func(v *kit.View, row *paymentRow) kit.Cell {
		return kit.Text(v.T("bank.front.do." + row.State)).To(rowAddress(row) + "#similar")
	}}), p.waiting, rowAddress, "bank.payments.none")
}

// Ago says how long ago an instant was.
func (p *frontPage) Ago(v *kit.View, at time.Time) string {
	return v.T("health.ago", age.Text(v, v.Now().Sub(at)))
}
