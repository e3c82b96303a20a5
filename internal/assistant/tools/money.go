package tools

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"banca/internal/assistant"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
)

// Pages of the panel with the figures.
const (
	linkSales    = "/admin/reports/sales"
	linkBalances = "/admin/reports/balances"
	linkPrizes   = "/admin/prizes"
	linkDraws    = "/admin/draws"
	linkExposure = "/admin/exposure"
	linkCloses   = "/admin/closes"
)

// reportLink is a page of reports for the entity and period of a result, and for a currency by its code, "" for the
// first one.
func reportLink(page string, e *reports.Entity, out *assistant.Result, currency string) string {
	query := url.Values{"entity": {e.Code}, "from": {out.From.String()}, "to": {out.To.String()}}
	if currency != "" {
		query.Set("currency", currency)
	}
	return page + "?" + query.Encode()
}

// amount writes an amount with its currency's digits.
func amount(a money.Amount, c ledger.Currency) string { return a.Format(c.Digits) }

func count(n int64) string { return strconv.FormatInt(n, 10) }

// filter returns the filter of reports for a call.
func (k *kit) filter(
	ctx context.Context, by caller.Caller, a *assistant.Arguments, date string,
) (*reports.Filter, error) {
	days, err := k.days(date)
	if err != nil {
		return nil, err
	}
	branch, err := k.branch(ctx, by, a.Branch)
	if err != nil {
		return nil, err
	}
	return &reports.Filter{EntityID: branch, From: days.From, To: days.To}, nil
}

// betColumns are the columns of betFigures.
func betColumns() []string {
	return []string{
		"currency", "tickets", "voided_tickets", "lines", "sold", "voided", "refunded", "net_sales", "commission",
		"prizes_won", "prizes_paid", "game_result", "cash",
	}
}

func betFigures(c ledger.Currency, f *rollup.Figures) []string {
	return []string{
		c.Unit(), count(f.Tickets), count(f.VoidedTickets), count(f.Lines), amount(f.Sold, c), amount(f.Voided, c),
		amount(f.Refunded, c), amount(f.NetSales(), c),
		amount(f.Commission.Total(), c), amount(f.Won, c), amount(f.Paid, c), amount(f.GameResult(), c),
		amount(f.Cash(), c),
	}
}

// salesColumns are the columns of salesFigures.
func salesColumns() []string {
	return []string{
		"group", "currency", "lines", "sold", "net_sales", "commission", "prizes_won", "game_result", "cash",
	}
}

func salesFigures(label string, c ledger.Currency, f *rollup.Figures) []string {
	return []string{
		label, c.Unit(), count(f.Lines), amount(f.Sold, c), amount(f.NetSales(), c), amount(f.Commission.Total(), c),
		amount(f.Won, c), amount(f.GameResult(), c), amount(f.Cash(), c),
	}
}

func (k *kit) bets(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	f, err := k.filter(ctx, by, &a, a.Date)
	if err != nil {
		return nil, err
	}
	s, err := k.Reports.Summary(ctx, by, f)
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{From: s.From, To: s.To, About: name(s.Entity.Name), Columns: betColumns()}
	first := ""
	for i := range s.Totals {
		first = cmp.Or(first, s.Totals[i].Currency.Code)
		out.Rows = append(out.Rows, betFigures(s.Totals[i].Currency, &s.Totals[i].Figures))
	}
	out.Link = reportLink(linkSales, &s.Entity, out, first)
	if len(out.Rows) == 0 {
		out.Note = "nothing was sold, won or paid"
		return out, nil
	}
	return out, k.weekBefore(ctx, by, f, s, out)
}

// weekBefore adds the net sales of the same day a week before to a day that is over, in the first currency.
func (k *kit) weekBefore(ctx context.Context, by caller.Caller, f *reports.Filter, s *reports.Summary, out *assistant.Result) error {
	if s.From != s.To || !s.To.Before(k.today()) {
		return nil
	}
	f.From, f.To = s.From.AddDays(-7), s.To.AddDays(-7)
	before, err := k.Reports.Summary(ctx, by, f)
	if err != nil {
		return err
	}
	c, net, earlier := s.Totals[0].Currency, s.Totals[0].NetSales(), figuresIn(before, s.Totals[0].Currency)
	if was := earlier.NetSales(); was > 0 {
		out.Facts = append(out.Facts, assistant.Fact{Name: assistant.FactWeekBefore, Value: amount(was, c), Unit: c.Unit()}, assistant.Fact{Name: assistant.FactWeekPercent, Value: reports.Percent(net-was, was)})
	}
	return nil
}

func (k *kit) balance(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	f, err := k.filter(ctx, by, &a, a.Date)
	if err != nil {
		return nil, err
	}
	currencies, err := k.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{Columns: []string{"currency", "opening", "sale", "prize", "commission", "deposit", "withdrawal", "closing"}}
	var entity reports.Entity
	first := ""
	for _, c := range currencies {
		f.Currency = c.ID.String()
		b, err := k.Reports.Balances(ctx, by, f, 0)
		if err != nil {
			return nil, err
		}
		out.From, out.To, out.About, entity = b.From, b.To, name(b.Entity.Name), b.Entity
		if b.Own == nil {
			continue
		}
		m := &b.Own.BalanceChange
		if *m == (ledger.BalanceChange{EntityID: m.EntityID, WalletID: m.WalletID}) {
			continue
		}
		first = cmp.Or(first, c.Code)
		out.Rows = append(out.Rows, []string{
			c.Unit(), amount(m.Opening, c), amount(m.Sale, c), amount(m.Prize, c), amount(m.Commission, c),
			amount(m.Deposit, c), amount(m.Withdrawal, c), amount(m.Closing, c),
		})
	}
	if len(out.Rows) == 0 {
		out.Note = "the balance is 0 and did not change"
	}
	out.Link = reportLink(linkBalances, &entity, out, first)
	return out, nil
}

func (k *kit) sales(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	f, err := k.filter(ctx, by, &a, a.Date)
	if err != nil {
		return nil, err
	}
	group := a.Group
	if group == "" {
		group = reports.GroupEntity
	}
	currencies, err := k.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{Columns: salesColumns()}
	var entity reports.Entity
	first := ""
	for _, c := range currencies {
		f.Currency = c.ID.String()
		s, err := k.Reports.Sales(ctx, by, f, group)
		if err != nil {
			return nil, err
		}
		out.From, out.To, out.About, entity = s.From, s.To, name(s.Entity.Name), s.Entity
		if s.Total == (rollup.Figures{}) {
			continue
		}
		first = cmp.Or(first, c.Code)
		for i := range s.Rows {
			if s.Rows[i].Figures == (rollup.Figures{}) {
				continue
			}
			if out.Total++; len(out.Rows) >= maxRows {
				continue
			}
			label := name(s.Rows[i].Name)
			if !s.Rows[i].Day.IsZero() {
				label = s.Rows[i].Day.String()
			}
			out.Rows = append(out.Rows, salesFigures(label, c, &s.Rows[i].Figures))
		}
		out.Rows = append(out.Rows, salesFigures("total", c, &s.Total))
		out.Total++
	}
	if len(out.Rows) == 0 {
		out.Note = "nothing was sold, won or paid"
	}
	out.Link = reportLink(linkSales, &entity, out, first)
	if group == reports.GroupGame || group == reports.GroupDay {
		out.Link += "&by=" + group
	}
	return out, nil
}

// compared are the figures of a comparison.
func compared() []struct {
	name string
	of   func(f *rollup.Figures) money.Amount
} {
	return []struct {
		name string
		of   func(f *rollup.Figures) money.Amount
	}{
		{"sold", func(f *rollup.Figures) money.Amount { return f.Sold }},
		{"net_sales", func(f *rollup.Figures) money.Amount { return f.NetSales() }},
		{"commission", func(f *rollup.Figures) money.Amount { return f.Commission.Total() }},
		{"prizes_won", func(f *rollup.Figures) money.Amount { return f.Won }},
		{"prizes_paid", func(f *rollup.Figures) money.Amount { return f.Paid }},
		{"game_result", func(f *rollup.Figures) money.Amount { return f.GameResult() }},
		{"cash", func(f *rollup.Figures) money.Amount { return f.Cash() }},
	}
}

func (k *kit) compare(ctx context.Context, by caller.Caller, a assistant.Arguments) (*assistant.Result, error) {
	f, err := k.filter(ctx, by, &a, a.Date)
	if err != nil {
		return nil, err
	}
	other, err := k.days(a.Other)
	if err != nil {
		return nil, err
	}
	first, err := k.Reports.Summary(ctx, by, f)
	if err != nil {
		return nil, err
	}
	f.From, f.To = other.From, other.To
	second, err := k.Reports.Summary(ctx, by, f)
	if err != nil {
		return nil, err
	}
	out := &assistant.Result{
		From: first.From, To: first.To, Other: assistant.Period{second.From, second.To}, About: name(first.Entity.Name),
		Columns: []string{"currency", "figure", "first", "second", "difference", "percent"},
		Note:    "difference is first less second, percent is it in percent of second",
		Facts:   []assistant.Fact{{Name: "first", Value: daysText(first.From, first.To)}, {Name: "second", Value: daysText(second.From, second.To)}},
	}
	currencies, err := k.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	shown := ""
	for _, c := range currencies {
		x, y := figuresIn(first, c), figuresIn(second, c)
		if x == (rollup.Figures{}) && y == (rollup.Figures{}) {
			continue
		}
		shown = cmp.Or(shown, c.Code)
		out.Rows = append(out.Rows, []string{c.Unit(), "tickets", count(x.Tickets), count(y.Tickets), count(x.Tickets - y.Tickets), reports.Percent(money.Amount(x.Tickets-y.Tickets), money.Amount(y.Tickets))})
		for _, figure := range compared() {
			p, q := figure.of(&x), figure.of(&y)
			out.Rows = append(
				out.Rows,
				[]string{c.Unit(), figure.name, amount(p, c), amount(q, c), amount(p-q, c), reports.Percent(p-q, q)},
			)
		}
	}
	out.Link = reportLink(linkSales, &first.Entity, out, shown)
	sold := len(first.Totals) > 0 && first.Totals[0].Currency.Code == shown
	if !sold || second.From != second.To || first.From.Weekday() == second.From.Weekday() {
		return out, nil
	}
	return out, k.weekBefore(ctx, by, f, first, out) // weekdays sell differently
}

// figuresIn returns the figures of a summary in a currency.
func figuresIn(s *reports.Summary, c ledger.Currency) rollup.Figures {
	for i := range s.Totals {
		if s.Totals[i].Currency.ID == c.ID {
			return s.Totals[i].Figures
		}
	}
	return rollup.Figures{}
}

// daysText names a period.
func daysText(first, last businessday.Day) string {
	if first == last {
		return first.String()
	}
	return first.String() + " – " + last.String()
}
