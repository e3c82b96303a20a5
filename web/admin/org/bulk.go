package org

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/models"
	"banca/web/kit"
)

const (
	bulkPath    = path + "/bulk"
	chosenField = "entity"
	bulkReview  = "review"
	bulkDo      = "do"
)

// bulkPage changes the state of several entities below one: their choice, what it would do, or what was done.
type bulkPage struct {
	Parent *org.TreeNode
	Status string // that the chosen ones go to
	Review bool
	Done   bool

	rows   []bulkRow
	symbol string
	digits int
	sales  bool
}

// bulkRow is an entity with what its change means.
type bulkRow struct {
	*org.TreeNode

	chosen bool
	points int          // ticket points that sell now, it or below it
	sold   money.Amount // today
	reason string       // why the change was refused; "" for none
}

// bulkStatuses are those that several entities can go to at once.
func bulkStatuses() []string { return []string{models.StatusSuspended, models.StatusActive} }

func (p *pages) loadBulk(r *kit.Request) (*bulkPage, error) {
	page := &bulkPage{Status: models.StatusSuspended}
	if typed := r.Form("status"); slices.Contains(bulkStatuses(), typed) {
		page.Status = typed
	}
	parent := r.QueryID("parent")
	if parent == uuid.Nil {
		parent = r.Caller.EntityID
	}
	var err error
	if page.Parent, err = p.Org.Tree(r.Context(), r.Caller, parent); err != nil {
		return nil, err
	}
	chosen := r.Forms(chosenField)
	ids := make([]uuid.UUID, 0, len(page.Parent.Children))
	for _, child := range page.Parent.Children {
		page.rows = append(page.rows, bulkRow{TreeNode: child, chosen: slices.Contains(chosen, child.ID.String()), points: sellingPoints(child)})
		ids = append(ids, child.ID)
	}
	return page, p.bulkSales(r, page, ids)
}

// bulkSales adds what the entities sold today in bolívares, for users who read sales.
func (p *pages) bulkSales(r *kit.Request, page *bulkPage, ids []uuid.UUID) error {
	if !r.May(auth.ReportsRead) || len(ids) == 0 {
		return nil
	}
	currency, err := p.Ledger.AnyCurrency(r.Context(), "VES")
	if err != nil {
		return r.Warned(err)
	}
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
func (b *bulkRow) movable(status string) bool {
	return b.Status != status && slices.Contains(org.StatusesAfter(b.Status), status)
}

// submitBulk shows what the change of the chosen entities would do, or makes it.
func (p *pages) submitBulk(r *kit.Request) error {
	page, err := p.loadBulk(r)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(page.rows, func(b bulkRow) bool { return b.chosen }) {
		return r.Write(http.StatusUnprocessableEntity, "bulk", page, r.T("bulk.none"))
	}
	page.rows = slices.DeleteFunc(page.rows, func(b bulkRow) bool { return !b.chosen })
	switch r.Form("action") {
	case bulkReview:
		page.Review = true
	case bulkDo:
		page.Done = true
		if err := p.moveAll(r, page); err != nil {
			return err
		}
	default: // back to the choice, with what was chosen
		if page, err = p.loadBulk(r); err != nil {
			return err
		}
	}
	return r.Write(http.StatusOK, "bulk", page, "")
}

// moveAll changes the chosen entities in turn. One that cannot be changed says why and stops no other.
func (p *pages) moveAll(r *kit.Request, page *bulkPage) error {
	for i := range page.rows {
		b := &page.rows[i]
		if b.Status == page.Status {
			continue
		}
		_, err := p.Org.SetStatus(r.Context(), r.Caller, b.ID, page.Status)
		if err == nil {
			b.Status = page.Status
			continue
		}
		_, text, ok := r.Explain(err)
		if !ok {
			return err
		}
		b.reason = text
	}
	return nil
}

// Address is the form's address.
func (p *bulkPage) Address() string { return bulkPath + "?parent=" + p.Parent.ID.String() }

// Statuses are the choices.
func (*bulkPage) Statuses() []string { return bulkStatuses() }

// Chosen are the ids of the chosen entities.
func (p *bulkPage) Chosen() []string {
	var ids []string
	for i := range p.rows {
		if p.rows[i].chosen {
			ids = append(ids, p.rows[i].ID.String())
		}
	}
	return ids
}

// Consequence says what the change means as a whole.
func (p *bulkPage) Consequence(v *kit.View) string {
	points, sold, moved := 0, money.Amount(0), 0
	for i := range p.rows {
		if p.rows[i].movable(p.Status) {
			moved++
			points += p.rows[i].points
			sold += p.rows[i].sold
		}
	}
	if p.Status == models.StatusActive {
		return v.N("bulk.activates", int64(moved))
	}
	text := v.N("bulk.suspends", int64(moved)) + " " + v.N("bulk.points", int64(points))
	if p.sales {
		text += " " + v.T("bulk.sold", v.Money(sold, p.digits)+" "+p.symbol)
	}
	return text
}

// Table lists the entities: to choose, with what the change does, or with what was done.
func (p *bulkPage) Table(v *kit.View) (*kit.Table, error) {
	columns := []kit.Column[bulkRow]{
		{Title: "label.name", Cell: func(v *kit.View, b *bulkRow) kit.Cell { return p.nameCell(v, b) }},
		kit.WordColumn("label.type", func(v *kit.View, b *bulkRow) string { return v.T("type." + b.Type) }),
		{Title: "label.state", Cell: func(v *kit.View, b *bulkRow) kit.Cell { return p.stateCell(v, b) }},
		kit.CountColumn("bulk.selling", func(b *bulkRow) int { return b.points }),
	}
	if p.sales {
		columns = append(columns, kit.Column[bulkRow]{Title: "bulk.today", Number: true, Cell: func(v *kit.View, b *bulkRow) kit.Cell {
			return kit.Text(v.Money(b.sold, p.digits) + " " + p.symbol)
		}})
	}
	return v.BuildTable(kit.RowsOf(columns, p.rows, nil, "org.children.none"))
}

// nameCell is the box to choose the entity by, or its name.
func (p *bulkPage) nameCell(v *kit.View, b *bulkRow) kit.Cell {
	if p.Review || p.Done {
		return kit.Wrap(b.Name).WithSecondLine(b.Code)
	}
	return choiceCell(v, b.TreeNode, b.chosen)
}

// choiceCell is the box to choose an entity by.
func choiceCell(v *kit.View, n *org.TreeNode, chosen bool) kit.Cell {
	return v.Part("bulk-choice", map[string]any{"ID": n.ID, "Name": n.Name, "Code": n.Code, "Chosen": chosen})
}

// stateCell is the state before and after the change, or what came of it.
func (p *bulkPage) stateCell(v *kit.View, b *bulkRow) kit.Cell {
	switch {
	case b.reason != "":
		return kit.Badges(v.State("bulk", "failed")).WithSecondLine(b.reason)
	case p.Review && b.movable(p.Status):
		return kit.Badges(v.State("entity", b.Status), v.State("entity", p.Status))
	case p.Review:
		return kit.Badges(v.State("entity", b.Status)).WithSecondLine(v.T("bulk.stays"))
	default:
		return kit.Badges(v.State("entity", b.Status))
	}
}
