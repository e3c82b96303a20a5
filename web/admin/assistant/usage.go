package assistant

import (
	"strconv"

	"banca/internal/assistant"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// costDigits are the decimals of costs, which are millionths of a US dollar.
const costDigits = 6

// usagePage is what the page of usage shows besides its rows.
type usagePage struct {
	All      *assistant.Usage
	From, To businessday.Day
}

func usageDays(r *kit.Request) (from, to businessday.Day) {
	from, to = r.QueryDay("from"), r.QueryDay("to")
	if from.IsZero() && to.IsZero() {
		return r.Today(), r.Today()
	}
	if from.IsZero() {
		from = to
	}
	if to.IsZero() {
		to = from
	}
	return from, to
}

func (p *pages) usageRows(r *kit.Request, w kit.Window) ([]assistant.Usage, int64, error) {
	from, to := usageDays(r)
	list, _, total, err := p.Assistant.Spent(r.Context(), r.Caller, &assistant.UsageFilter{From: from, To: to, Limit: w.Limit, Offset: w.Offset})
	return list, total, err
}

func (p *pages) usagePage(r *kit.Request, _ []assistant.Usage) (*usagePage, error) {
	from, to := usageDays(r)
	_, all, _, err := p.Assistant.Spent(r.Context(), r.Caller, &assistant.UsageFilter{From: from, To: to, Limit: 1})
	return &usagePage{All: all, From: from, To: to}, err
}

func usageFilter(r *kit.Request) (*kit.Filter, error) {
	from, to := kit.DateField("from", "label.from"), kit.DateField("to", "label.to")
	if first, last := usageDays(r); r.Query("from") == "" && r.Query("to") == "" {
		from.Value, to.Value = first.String(), last.String()
	}
	return &kit.Filter{Fields: []kit.FilterField{from, to}}, nil
}

func usageColumns() []kit.Column[assistant.Usage] {
	milliseconds := func(title string, of func(u *assistant.Usage) int64) kit.Column[assistant.Usage] {
		return kit.TextColumn(title, func(u *assistant.Usage) string { return strconv.FormatInt(of(u), 10) }).Numeric().
			WithCell(func(v *kit.View, u *assistant.Usage) kit.Cell { return kit.Text(v.Count(of(u)) + " ms") })
	}
	return []kit.Column[assistant.Usage]{
		kit.WrapColumn("label.entity", func(u *assistant.Usage) string { return u.Entity }),
		kit.TextColumn("assistant.usage.model", func(u *assistant.Usage) string { return u.Model }),
		kit.AmountColumn("assistant.usage.cost", func(u *assistant.Usage) (money.Amount, int) { return money.Amount(u.Cost), costDigits }),
		kit.CountColumn("assistant.usage.input", func(u *assistant.Usage) int64 { return u.Input }),
		kit.CountColumn("assistant.usage.output", func(u *assistant.Usage) int64 { return u.Output }),
		kit.CountColumn("assistant.usage.calls", func(u *assistant.Usage) int64 { return u.Attempts }),
		kit.CountColumn("assistant.usage.failed", func(u *assistant.Usage) int64 { return u.Failed }),
		milliseconds("assistant.usage.first", func(u *assistant.Usage) int64 { return u.FirstMS }),
		milliseconds("assistant.usage.latency", func(u *assistant.Usage) int64 { return u.LatencyMS }),
	}
}

// Cost is the sum of all rows.
func (p *usagePage) Cost(v *kit.View) string { return v.Money(money.Amount(p.All.Cost), costDigits) }
