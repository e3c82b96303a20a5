package closes

import (
	"github.com/google/uuid"

	"banca/internal/closes"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// balancePage is the reconciliation of a day, or what is compared, with the day that it proposes.
type balancePage struct {
	*closes.Balance

	Proposed    businessday.Day
	Names       []string // of what is compared
	Entity      string
	CheckRows   kit.Rows
	Differences kit.Rows
}

func (p *pages) loadBalance(r *kit.Request) (*balancePage, error) {
	day, proposed := kit.DateField("date", "closes.day"), r.Today().AddDays(-1)
	asked := r.QueryDay("date")
	if r.Query("date") == "" {
		day.Value = proposed.String()
	}
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{day, kit.EntityField("entity", "label.entity")}})
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return &balancePage{}, r.Warned(err)
	}
	if asked.IsZero() { // it reads all of a day: seconds, for an operator who sells much
		return &balancePage{Proposed: proposed, Names: closes.CheckNames()}, nil
	}
	b, err := p.Closes.Balance(r.Context(), r.Caller, entity, asked)
	if err != nil {
		return &balancePage{}, r.Warned(err)
	}
	names := kit.EntityNames(r, b.Differences, func(d *closes.Difference) uuid.UUID { return d.EntityID })
	return &balancePage{
		Balance: b, Entity: kit.EntityName(r, b.EntityID), CheckRows: kit.RowsOf(checkColumns(), b.Checks, nil, ""),
		Differences: kit.RowsOf(differenceColumns(names), b.Differences, nil, "closes.balance.none"),
	}, nil
}

func checkColumns() []kit.Column[closes.Check] {
	return []kit.Column[closes.Check]{
		kit.WordColumn("closes.check", func(v *kit.View, c *closes.Check) string { return v.T("closes.check." + c.Name) }).Wrapped().
			Below(func(v *kit.View, c *closes.Check) string { return v.T("closes.check." + c.Name + ".what") }),
		kit.StateColumn("balance", func(c *closes.Check) string {
			if c.Differences > 0 {
				return "differs"
			}
			return "ok"
		}),
		kit.CountColumn("closes.differences", func(c *closes.Check) int { return c.Differences }),
	}
}

func differenceColumns(names map[uuid.UUID]string) []kit.Column[closes.Difference] {
	return []kit.Column[closes.Difference]{
		kit.WordColumn("closes.check", func(v *kit.View, d *closes.Difference) string { return v.T("closes.check." + d.Check) }),
		kit.WrapColumn("label.entity", func(d *closes.Difference) string { return names[d.EntityID] }),
		kit.AmountColumn("closes.expected", func(d *closes.Difference) (money.Amount, int) { return d.Expected, d.Currency.Digits }),
		kit.AmountColumn("closes.found", func(d *closes.Difference) (money.Amount, int) { return d.Found, d.Currency.Digits }),
		kit.CurrencyColumn(func(d *closes.Difference) (code, symbol string) { return d.Currency.Code, d.Currency.Unit() }),
		{Title: "closes.rows", Cell: func(v *kit.View, d *closes.Difference) kit.Cell {
			cell := kit.None()
			for i, row := range d.Rows {
				text := v.T("closes.row."+row.Table) + " " + row.ID.String()
				if i == 0 {
					cell = kit.Cell{Text: text, Style: "mono wrap"}
				} else {
					cell = cell.WithSecondLine(text)
				}
			}
			return cell
		}},
	}
}
