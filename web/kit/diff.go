package kit

import "banca/internal/money"

// Diff lists what a change does to an object: each field in words, its value before and after, and what the change
// costs or brings.
type Diff struct {
	Rows []DiffRow
	More int // further changes, which are not listed

	effects bool // a row has one
	view    *View
}

// DiffRow is a changed field.
type DiffRow struct {
	Field         string
	Before, After Cell
	Effect        Cell
}

// Diff returns a diff without changes.
func (v *View) Diff() *Diff { return &Diff{view: v} }

// Add adds a changed field; an empty cell is a missing value.
func (d *Diff) Add(field string, before, after Cell) *Diff {
	d.Rows = append(d.Rows, DiffRow{Field: field, Before: before, After: after})
	return d
}

// Effect adds to the last field what its change brings to the operator in money; a cost is below zero.
func (d *Diff) Effect(amount money.Amount, digits int, currency string) *Diff {
	effect := Cell{Text: d.view.Money(amount, digits) + " " + currency}
	switch {
	case amount > 0:
		effect.Text, effect.Style = "+"+effect.Text, "rise"
	case amount < 0:
		effect.Style = "fall"
	}
	d.Rows[len(d.Rows)-1].Effect, d.effects = effect, true
	return d
}

// Table returns the diff for its template part; without changes it says so.
func (d *Diff) Table() (*Table, error) {
	columns := []Column[DiffRow]{
		{Title: "label.field", Cell: func(_ *View, r *DiffRow) Cell { return Wrap(r.Field) }},
		{Title: "label.before", Cell: func(_ *View, r *DiffRow) Cell { return styled(r.Before, "wrap before") }},
		{Title: "label.after", Cell: func(_ *View, r *DiffRow) Cell { return styled(r.After, "wrap after") }},
	}
	if d.effects {
		columns = append(columns, Column[DiffRow]{Title: "label.effect", Number: true, Cell: func(_ *View, r *DiffRow) Cell { return r.Effect }})
	}
	return d.view.Make(RowsOf(columns, d.Rows, nil, "diff.none"))
}

// MoreText says how many changes are not listed; "" if all are.
func (d *Diff) MoreText() string {
	if d.More == 0 {
		return ""
	}
	return d.view.N("diff.more", int64(d.More))
}

// styled returns the cell with classes before its own.
func styled(c Cell, style string) Cell {
	if c.Style != "" {
		style += " " + c.Style
	}
	c.Style = style
	return c
}
