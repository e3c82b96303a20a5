package kit

import "banca/internal/platform/money"

// Diff lists the changes of an object: the label of each field, its value before and after, and the effect of the change
// on the operator's money.
type Diff struct {
	Rows []DiffRow
	More int // number of further changes, which are not listed

	effects bool // a row has an effect
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

// Add adds a changed field. An empty cell means that the value is missing.
func (d *Diff) Add(field string, before, after Cell) *Diff {
	d.Rows = append(d.Rows, DiffRow{Field: field, Before: before, After: after})
	return d
}

// Effect sets the effect of the last added change: the operator's gain, or a negative amount for a loss.
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

// Table returns the table of the changes. Without changes it shows the text diff.none.
func (d *Diff) Table() (*Table, error) {
	columns := []Column[DiffRow]{
		{Title: "label.field", Cell: func(_ *View, r *DiffRow) Cell { return Wrap(r.Field) }},
		{Title: "label.before", Cell: func(_ *View, r *DiffRow) Cell { return styled(r.Before, "wrap before") }},
		{Title: "label.after", Cell: func(_ *View, r *DiffRow) Cell { return styled(r.After, "wrap after") }},
	}
	if d.effects {
		columns = append(columns, Column[DiffRow]{Title: "label.effect", Number: true, Cell: func(_ *View, r *DiffRow) Cell { return r.Effect }})
	}
	return d.view.BuildTable(RowsOf(columns, d.Rows, nil, "diff.none"))
}

// MoreText returns a text with the number of changes that are not listed, or "" if all are listed.
func (d *Diff) MoreText() string {
	if d.More == 0 {
		return ""
	}
	return d.view.N("diff.more", d.More)
}

// styled returns the cell with classes added before its own.
func styled(c Cell, style string) Cell {
	if c.Style != "" {
		style += " " + c.Style
	}
	c.Style = style
	return c
}
