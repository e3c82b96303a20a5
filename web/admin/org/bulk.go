package org

import (
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/models"
	"banca/web/kit"
)

const bulkPath = path + "/bulk"

// bulkPage changes the state of several entities below one.
type bulkPage struct {
	several

	Status string // that the chosen ones go to

	symbol string
	digits int
	sales  bool
}

// bulkStatuses are those that several entities can go to at once.
func bulkStatuses() []string { return []string{models.StatusSuspended, models.StatusActive} }

func (p *pages) loadBulk(r *kit.Request) (page *bulkPage, err error) {
	form := kit.NewForm(kit.RadioInput("status", "bulk.to", r.Options("bulk.to.", bulkStatuses()...)))
	page = &bulkPage{Status: models.StatusSuspended}
	if page.several, err = p.loadSeveral(r, bulkPath, "bulk", form); err != nil {
		return nil, err
	}
	if typed := form.Get("status"); slices.Contains(bulkStatuses(), typed) {
		page.Status = typed
	}
	form.Put("status", page.Status)
	for i := range page.rows {
		page.rows[i].points = sellingPoints(page.rows[i].TreeNode)
	}
	return page, p.bulkSales(r, page)
}

// bulkSales adds what the entities sold today in bolívares, for users who read sales.
func (p *pages) bulkSales(r *kit.Request, page *bulkPage) error {
	if !r.May(auth.ReportsRead) || len(page.rows) == 0 {
		return nil
	}
	currency, err := p.Ledger.AnyCurrency(r.Context(), "VES")
	if err != nil {
		return r.Warned(err)
	}
	ids := kit.Map(page.rows, func(row *severalRow) uuid.UUID { return row.ID })
	sold, err := p.Reports.SoldBy(r.Context(), r.Caller, &reports.Filter{Currency: currency.Code}, ids)
	if err != nil {
		return err
	}
	page.sales, page.symbol, page.digits = true, currency.Unit(), currency.Digits
	for i := range page.rows {
		page.rows[i].sold = sold[page.rows[i].ID]
	}
	return nil
}

// sellingPoints counts the ticket points of a branch that sell: they and all above them are active.
func sellingPoints(n *org.TreeNode) int {
	if n.Status != models.StatusActive {
		return 0
	}
	total := 0
	if n.Type == models.EntityTicketPoint {
		total = 1
	}
	for _, child := range n.Children {
		total += sellingPoints(child)
	}
	return total
}

// movable reports whether an entity can go to the status.
func (row *severalRow) movable(status string) bool {
	return row.Status != status && slices.Contains(models.StatusesAfter(row.Status), status)
}

// submitBulk shows what the change of the chosen entities would do, or makes it.
func (p *pages) submitBulk(r *kit.Request) error {
	page, err := p.loadBulk(r)
	if err != nil {
		return err
	}
	return page.submit(r, page, func() (string, error) { return "", nil }, func(row *severalRow) error {
		if row.Status == page.Status {
			return nil
		}
		_, err := p.Org.SetStatus(r.Context(), r.Caller, row.ID, page.Status)
		if err == nil {
			row.Status = page.Status
		}
		return err
	})
}

// Do is the key of the button that makes the change.
func (p *bulkPage) Do() string { return "bulk.do." + p.Status }

// Grave reports whether the change is marked as grave.
func (p *bulkPage) Grave() bool { return p.Status == models.StatusSuspended }

// Summary says what the change means as a whole; nothing after it.
func (p *bulkPage) Summary(v *kit.View) string {
	if p.Done {
		return ""
	}
	points, sold, moved := 0, money.Amount(0), 0
	for i := range p.rows {
		if p.rows[i].movable(p.Status) {
			moved++
			points += p.rows[i].points
			sold += p.rows[i].sold
		}
	}
	if p.Status == models.StatusActive {
		return v.N("bulk.activates", moved)
	}
	text := v.N("bulk.suspends", moved) + " " + v.N("bulk.points", points)
	if p.sales {
		text += " " + v.T("bulk.sold", v.Money(sold, p.digits)+" "+p.symbol)
	}
	return text
}

// Table lists the entities: to choose, with what the change does, or with what was done.
func (p *bulkPage) Table(v *kit.View) (*kit.Table, error) {
	columns := []kit.Column[severalRow]{
		p.nameColumn(), typeColumn(), {Title: "label.state", Lead: true, Cell: p.stateCell},
		kit.CountColumn("bulk.selling", func(row *severalRow) int { return row.points }),
	}
	if p.sales {
		columns = append(columns, kit.WordColumn("bulk.today", func(v *kit.View, row *severalRow) string {
			return v.Money(row.sold, p.digits) + " " + p.symbol
		}).Numeric())
	}
	return v.BuildTable(kit.RowsOf(columns, p.rows, nil, "org.children.none"))
}

// stateCell is the state before and after the change, or what came of it.
func (p *bulkPage) stateCell(v *kit.View, row *severalRow) kit.Cell {
	switch {
	case row.reason != "":
		return kit.Badges(v.State("bulk", "failed")).WithSecondLine(row.reason)
	case p.Review && row.movable(p.Status):
		return kit.Badges(v.State("entity", row.Status), v.State("entity", p.Status))
	case p.Review:
		return kit.Badges(v.State("entity", row.Status)).WithSecondLine(v.T("bulk.stays"))
	default:
		return kit.Badges(v.State("entity", row.Status))
	}
}
