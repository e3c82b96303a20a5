package kit

import "errors"

// Column is a column of a list. One without Text is not in the file, one without Cell not in the table.
type Column[R any] struct {
	Title    string // key; "" without one
	Text     func(row *R) string
	Cell     func(v *View, row *R) Cell
	Number   bool // right-aligned, in figures of one width
	Priority Priority
	Orders   Orders // of the list by this column, as far as the service has them
}

// Priority is how a column is shown on a narrow screen, where each row is a card.
type Priority int

// Priorities.
const (
	Shown Priority = iota
	Least          // omitted
)

// Table is a table as its template part writes it.
type Table struct {
	Heads  []TableHead
	Rows   []TableRow
	Totals []TableCell // below the rows; nil without them
	Empty  string      // said instead of a table without rows
	Failed string      // said instead of a table whose rows could not be read
}

// TableHead is the head of a column.
type TableHead struct {
	Title, Class string
	Link         string // address of the list in the column's order; "" without one
	Order        string // of the list by this column, as aria-sort; "" if it is by another
}

// TableRow is a row; its whole area is the link of its cell Whole.
type TableRow struct{ Cells []TableCell }

// TableCell is a cell in its column.
type TableCell struct {
	Cell

	Title, Class string
	Whole        bool // its link covers the row
}

// Rows is a table of a page, which is made when the page is written.
type Rows func(v *View) (*Table, error)

// RowsOf returns a table of rows, and the key of what is said without any. The link of a row, if link is not nil, is
// the link of its first cell and covers the row.
func RowsOf[R any](columns []Column[R], rows []R, link func(row *R) string, empty string) Rows {
	return func(v *View) (*Table, error) {
		t, err := newTable(v, columns, rows, link)
		if empty != "" {
			t.Empty = v.T(empty)
		}
		return t, err
	}
}

// Sum returns the table with a row below the others; sum returns a cell for each column of the table.
func (r Rows) Sum(sum func(v *View) []Cell) Rows {
	return func(v *View) (*Table, error) {
		t, err := r(v)
		if err == nil {
			for i, cell := range sum(v) {
				t.Totals = append(t.Totals, TableCell{Cell: cell, Title: t.Heads[i].Title, Class: t.Heads[i].Class})
			}
		}
		return t, err
	}
}

// FailedRows is a table whose rows could not be read; the page shows the key's text in its place.
func FailedRows(key string) Rows {
	return func(v *View) (*Table, error) { return &Table{Failed: v.T(key)}, nil }
}

// Make makes a table; nil without one.
func (v *View) Make(rows Rows) (*Table, error) {
	if rows == nil {
		return nil, nil //nolint:nilnil // a page without the table
	}
	return rows(v)
}

// Table returns the table of the page's list; nil without one.
func (v *View) Table() (*Table, error) { return v.Make(v.table) }

func newTable[R any](v *View, columns []Column[R], rows []R, link func(row *R) string) (*Table, error) {
	t := &Table{}
	var errs []error
	var shown []Column[R]
	for _, column := range columns {
		if column.Cell != nil {
			shown = append(shown, column)
			t.Heads = append(t.Heads, column.head(v))
		}
	}
	for i := range rows {
		row := TableRow{Cells: make([]TableCell, len(shown))}
		for j := range shown {
			cell := TableCell{Cell: shown[j].Cell(v, &rows[i]), Title: t.Heads[j].Title}
			if j == 0 && link != nil {
				cell.Link, cell.Whole = link(&rows[i]), true
			}
			cell.Class = shown[j].class(cell.Style)
			errs = append(errs, cell.err)
			row.Cells[j] = cell
		}
		t.Rows = append(t.Rows, row)
	}
	return t, errors.Join(errs...)
}

// head returns the head of the column.
func (c *Column[R]) head(v *View) TableHead {
	head := TableHead{Class: c.class("")}
	if c.Title != "" {
		head.Title = v.T(c.Title)
	}
	head.Link, head.Order = c.Orders.link(v.order)
	return head
}

// class returns the classes of the column's cells.
func (c *Column[R]) class(style string) string {
	if c.Number {
		style += " number"
	}
	if c.Priority == Least {
		style += " least"
	}
	if style != "" && style[0] == ' ' {
		style = style[1:]
	}
	return style
}
