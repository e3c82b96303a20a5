package bank

import (
	"banca/internal/bank"
	"banca/internal/platform/health"
	"banca/web/kit"
)

// frontPage is what waits at the bank, the payments of the day, and how the bank identifies itself.
type frontPage struct {
	*bank.Totals

	Identity *bank.Identity
	Calls    *health.Bank // nil while they are not known
	day      string       // in addresses
	waiting  []bank.Payment
}

// shownWaiting bounds the payments that the page lists.
const shownWaiting = 10

func (p *pages) loadFront(r *kit.Request) (*frontPage, error) {
	ctx, page := r.Context(), &frontPage{day: r.Today().String(), Calls: p.Health.Snapshot().Bank}
	var err error
	if page.Totals, err = p.Bank.Totals(ctx, r.Caller, r.Today()); err != nil {
		return nil, err
	}
	if page.Identity, err = p.Bank.Identity(ctx, r.Caller); err != nil {
		return nil, err
	}
	page.waiting, _, err = p.Bank.Payments(ctx, r.Caller, &bank.PaymentFilter{States: bank.Waiting(), Limit: shownWaiting})
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

// Waiting lists the newest payments that wait for an operator.
func (p *frontPage) Waiting() kit.Rows {
	return kit.RowsOf(paymentColumns(), p.waiting, paymentAddress, "bank.payments.none")
}
