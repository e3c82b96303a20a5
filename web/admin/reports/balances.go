package reports

import (
	"slices"

	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/models"
	"banca/web/kit"
)

// subtotalEmpty leaves the cell of a subtotal empty, so that the column sums to the result.
func subtotalEmpty(file func(*reports.Step) sheet.Cell) func(*reports.Step) sheet.Cell {
	return func(s *reports.Step) sheet.Cell {
		if s.Subtotal {
			return sheet.Cell{}
		}
		return file(s)
	}
}

// balancesPage is how the balances of an entity and of those one level below changed.
type balancesPage struct {
	base

	Asked bool
	Own   *reports.Balance
	More  bool
	Rows  kit.Rows
	list  []reports.Balance
}

func (p *pages) balances(r *kit.Request) error {
	page := &balancesPage{}
	q, err := p.question(r, false)
	if err == nil {
		err = p.loadBalances(r, q, page)
	}
	if err == nil && r.WantsFile() {
		if page.More {
			return sheet.ErrTooLarge
		}
		r.TitleFile(page.Title)
		return kit.SendFile(r, "entity-balance", page.columns(r), kit.OnePage(page.list))
	}
	return present(r, "balances", page, err)
}

func (p *pages) loadBalances(r *kit.Request, q *question, page *balancesPage) error {
	limit := reports.MaxBalances
	if r.WantsFile() {
		limit = sheet.MaxRows
	}
	report, err := p.Reports.Balances(r.Context(), r.Caller, &q.Filter, limit)
	if err != nil {
		return err
	}
	page.Asked, page.Head, page.Own, page.More, page.list = true, report.Head, report.Own, report.More, report.Children
	if report.Entity.Type == models.EntityTicketPoint && report.Own != nil {
		page.list = []reports.Balance{*report.Own}
	}
	page.Title, page.Crumbs = r.T("reports.balances")+" · "+report.Entity.Name, q.above(balancesPath, false)
	var link func(*reports.Balance) string
	if report.Entity.Type != models.EntityTicketPoint {
		link = func(b *reports.Balance) string { return q.link(balancesPath, "entity", b.Entity.Code) }
	}
	columns, rows := kit.SortRows(r, page.columns(r), page.list)
	page.Rows = kit.RowsOf(columns, rows, link, "reports.balances.none")
	if len(page.list) > 0 {
		page.Rows = page.Rows.Sum(page.totals)
		r.OfferFile()
	}
	return nil
}

// balancePart is an amount of a balance.
type balancePart struct {
	title string
	of    func(b *reports.Balance) money.Amount
}

// parts are the amounts of a balance in the order of the tiles and columns: the first plus the ones between is the last.
func parts() []balancePart {
	return []balancePart{
		{"reports.opening", func(b *reports.Balance) money.Amount { return b.Opening }},
		{"reports.booked.sales", func(b *reports.Balance) money.Amount { return b.Sale }},
		{"reports.booked.prizes", func(b *reports.Balance) money.Amount { return b.Prize }},
		{"reports.commissions", func(b *reports.Balance) money.Amount { return b.Commission }},
		{"reports.deposits", func(b *reports.Balance) money.Amount { return b.Deposit }},
		{"reports.withdrawals", func(b *reports.Balance) money.Amount { return b.Withdrawal }},
		{"reports.closing", func(b *reports.Balance) money.Amount { return b.Closing }},
	}
}

// idle reports whether an amount is zero in all rows; the table leaves it out.
func (p *balancesPage) idle(part balancePart) bool {
	return len(p.list) > 0 && !slices.ContainsFunc(p.list, func(b reports.Balance) bool { return part.of(&b) != 0 })
}

func (p *balancesPage) columns(r *kit.Request) []kit.Column[reports.Balance] {
	columns := []kit.Column[reports.Balance]{
		kit.WrapColumn("label.entity", func(b *reports.Balance) string { return b.Entity.Name }).
			Below(func(v *kit.View, b *reports.Balance) string { return v.T("type." + b.Entity.Type) }),
		{Title: "label.code", Text: func(b *reports.Balance) string { return b.Entity.Code }},
		{Title: "reports.level", Text: func(b *reports.Balance) string { return r.T("type." + b.Entity.Type) }},
	}
	for _, part := range parts() {
		column := kit.AmountColumn(part.title, func(b *reports.Balance) (money.Amount, int) { return part.of(b), p.Head.Currency.Digits }).Summed()
		if p.idle(part) {
			column = column.FileOnly()
		}
		columns = append(columns, column)
	}
	return append(columns, kit.Column[reports.Balance]{Title: "label.currency", Text: func(*reports.Balance) string { return p.Unit() }})
}

func (p *balancesPage) totals(v *kit.View) []kit.Cell {
	cells := []kit.Cell{kit.Text(v.T("label.total"))}
	for _, part := range parts() {
		if p.idle(part) {
			continue
		}
		var sum money.Amount
		for i := range p.list {
			sum += part.of(&p.list[i])
		}
		cells = append(cells, kit.Text(v.Money(sum, p.Head.Currency.Digits)))
	}
	return cells
}

// Tiles are the parts of the entity's own balance. Amounts of zero between the first and the last one are left out.
func (p *balancesPage) Tiles(v *kit.View) []*kit.Stat {
	own := p.Own
	if own == nil { // without a wallet
		own = &reports.Balance{}
	}
	var list []*kit.Stat
	all := parts()
	for i, part := range all {
		if i == 0 || i == len(all)-1 || part.of(own) != 0 {
			list = append(list, v.Stat(part.of(own), p.Head.Currency.Digits, v.T(part.title)).WithUnit(p.Unit()))
		}
	}
	return list
}

// Below reports whether the rows are of the level below the entity, not the entity itself.
func (p *balancesPage) Below() bool { return p.Head.Entity.Type != models.EntityTicketPoint }
