package kit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"banca/internal/platform/sheet"
)

// Column is a column of a list. A column without File, Text and Words is not in the file; a column without Cell is not in the table.
type Column[R any] struct {
	Title    string                  // key; "" for none
	File     func(row *R) sheet.Cell // or
	Text     func(row *R) string     // of the file, or
	Words    func(v *View, row *R) string
	Cell     func(v *View, row *R) Cell
	Number   bool              // right-aligned, with tabular figures
	Lead     bool              // on a narrow screen its cells stand beside those of the first column
	Sum      bool              // of the file has a total of the column, and so has the page with all rows
	Adds     func(row *R) bool // whether an amount is in the total of the page; nil if the column has none, or for all with Sum
	AddsAs   string            // key of the title of that total where rows are left out; "" for that of the column
	Unit     bool              // it has the currency of the amounts: the table has it in their heads, or after the first amount of a row
	Money    bool              // its cells are amounts
	WideOnly bool              // it is omitted on a narrow screen, where each row is a card
	Orders   Orders            // of the list by this column

	unit string // of all its amounts, in the head; "" for none
}

// Table is a table as its template part writes it.
type Table struct {
	Heads  []TableHead
	Rows   []TableRow
	Totals []TableCell // below the rows; nil for none
	Empty  string      // shown instead of a table without rows
	Filter *Filter     // that left no rows; nil for none
	Clear  string      // text of the link that removes it
	Failed string      // shown instead of a table whose rows could not be read
}

// TableHead is the head of a column.
type TableHead struct {
	Title, Class string
	Spoken       string // of a column without a title, for screen readers
	Link         string // address of the list in the column's order; "" for none
	Order        string // aria-sort, if the list is ordered by this column
}

// TableRow is a row. The link of its cell with CoversRow covers the row.
type TableRow struct {
	Group string // title above the row, of it and the rows below it; "" for none
	Cells []TableCell
}

// TableCell is a cell in its column.
type TableCell struct {
	Cell

	Title, Class string
	CoversRow    bool // its link covers the row
}

// Rows builds a table of a page. It is called when the page is written.
type Rows func(v *View) (*Table, error)

// RowsOf returns the table of rows. empty is the key of the text for a table without rows. If link is not nil, it
// returns the link of a row, which is the link of the first cell and covers the row.
func RowsOf[R any](columns []Column[R], rows []R, link func(row *R) string, empty string) Rows {
	return func(v *View) (*Table, error) {
		t, err := newTable(v, columns, rows, link)
		if empty != "" {
			t.Empty = v.T(empty)
		}
		return t, err
	}
}

// Sum returns the table with a row of totals. sum returns a cell for each column of the table, or none. Errors: another number of cells.
func (r Rows) Sum(sum func(v *View) []Cell) Rows {
	return func(v *View) (*Table, error) {
		t, err := r(v)
		if err != nil {
			return t, err
		}
		cells := sum(v)
		if len(cells) > 0 && len(cells) != len(t.Heads) {
			return t, fmt.Errorf("%d totals of a table with %d columns", len(cells), len(t.Heads))
		}
		for i, cell := range cells {
			t.Totals = append(t.Totals, TableCell{Cell: cell, Title: t.Heads[i].Title, Class: strings.TrimSpace(t.Heads[i].Class + " " + cell.classes())})
		}
		return t, nil
	}
}

// GroupBy returns the table with titles between its rows: title returns that of a row, and it is shown above each row whose title
// differs from that of the row before.
func (r Rows) GroupBy(title func(v *View, row int) string) Rows {
	return func(v *View) (*Table, error) {
		t, err := r(v)
		last := ""
		for i := range t.Rows {
			if text := title(v, i); text != last {
				t.Rows[i].Group, last = text, text
			}
		}
		return t, err
	}
}

// FailedRows returns a table whose rows could not be read. The page shows the text with the key instead.
func FailedRows(key string) Rows {
	return func(v *View) (*Table, error) { return &Table{Failed: v.T(key)}, nil }
}

// BuildTable builds a table, or returns nil if rows is nil. A table without rows names the conditions of the page's filter.
func (v *View) BuildTable(rows Rows) (*Table, error) {
	if rows == nil {
		return nil, nil //nolint:nilnil // the page has no such table
	}
	t, err := rows(v)
	if err == nil && len(t.Rows) == 0 && v.Filter != nil && len(v.Filter.Given) > 0 {
		t.Filter, t.Clear = v.Filter, v.T("list.clear")
	}
	return t, err
}

// Table returns the table of the page's list, or nil if there is none.
func (v *View) Table() (*Table, error) { return v.BuildTable(v.table) }

func newTable[R any](v *View, columns []Column[R], rows []R, link func(row *R) string) (*Table, error) {
	t := &Table{}
	var errs []error
	var shown []Column[R]
	for _, column := range withUnits(v, columns, rows) {
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
				cell.Link, cell.CoversRow = link(&rows[i]), true
			}
			cell.Class = shown[j].class(cell.classes())
			errs = append(errs, cell.err)
			row.Cells[j] = cell
		}
		t.Rows = append(t.Rows, row)
	}
	return t, errors.Join(errs...)
}

// withUnits returns the columns without the column of the currency. The heads of several amounts name a currency that all rows have; otherwise the cells of the
// first amount name the currency of their row.
func withUnits[R any](v *View, columns []Column[R], rows []R) []Column[R] {
	unit := slices.IndexFunc(columns, func(c Column[R]) bool { return c.Unit && c.Cell != nil })
	amount := slices.IndexFunc(columns, func(c Column[R]) bool { return c.Money && c.Cell != nil })
	if unit < 0 || amount < 0 {
		return columns
	}
	list := slices.Clone(columns)
	list[unit].Cell = nil
	common, amounts := Common(rows, func(row *R) string { return columns[unit].Cell(v, row).Text }), 0
	for i := range list {
		if list[i].Money && list[i].Cell != nil {
			list[i].unit = common
			amounts++
		}
	}
	if common != "" && amounts > 1 {
		return list
	}
	list[amount].unit = ""
	list[amount] = list[amount].with(func(v *View, row *R, cell Cell) Cell {
		if symbol := columns[unit].Cell(v, row).Text; symbol != "" && !cell.Empty() {
			cell.Text += " " + symbol
		}
		return cell
	})
	return list
}

// HasLinks reports whether a row has something that the keyboard reaches, without which the table itself must be reached to scroll it.
func (t *Table) HasLinks() bool {
	return slices.ContainsFunc(t.Rows, func(row TableRow) bool {
		return slices.ContainsFunc(row.Cells, func(cell TableCell) bool { return cell.Link != "" || cell.HTML != "" })
	})
}

// Fits reports whether the table stays one on a narrow screen: a column of words and at most two of numbers, without those omitted there.
func (t *Table) Fits() bool {
	const most = 3
	shown := slices.DeleteFunc(slices.Clone(t.Heads), func(head TableHead) bool { return strings.Contains(head.Class, "least") })
	return len(shown) <= most && !slices.ContainsFunc(shown[min(1, len(shown)):], func(head TableHead) bool { return !strings.Contains(head.Class, "number") })
}

// head returns the head of the column.
func (c *Column[R]) head(v *View) TableHead {
	head := TableHead{Class: c.class("")}
	if c.Title != "" {
		head.Title = v.T(c.Title)
		if c.unit != "" {
			head.Title += " (" + c.unit + ")"
		}
	} else {
		head.Spoken = v.T("word.actions")
	}
	head.Link, head.Order = c.Orders.link(v.order)
	return head
}

// plain reports whether the values of a column explain themselves on a card, without its title.
func plain(title string) bool {
	switch title {
	case "label.entity", "label.draw", "label.game", "label.games", "label.sold", "label.what", "label.bank", "label.reason", "health.request",
		"label.role", "edit.times", "message.kind", "message.recipient":
		return true
	}
	return false
}

// class returns the classes of the column's cells.
func (c *Column[R]) class(style string) string {
	if c.Number {
		style += " number"
	}
	if c.WideOnly {
		style += " least"
	}
	if c.Lead {
		style += " condition"
	}
	if plain(c.Title) {
		style += " bare"
	}
	if style != "" && style[0] == ' ' {
		style = style[1:]
	}
	return style
}
