package kit

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
)

// Column is a column of a list. One without Text is not in the file, one without Cell not in the table.
type Column[R any] struct {
	Title    string // key; "" without one
	Text     func(row *R) string
	Cell     func(v *View, row *R) Cell
	Number   bool // right-aligned, in figures of one width
	Priority Priority
}

// Priority is how a column is shown on a narrow screen, where each row is a card.
type Priority int

// Priorities.
const (
	Shown Priority = iota
	Least          // omitted
)

// Cell is what a row shows in a column. An empty one shows a dash.
type Cell struct {
	Text   string
	Link   string // address of the text
	Style  string // classes: mono, wrap, faint
	Badges []Badge
	Time   Moment
	HTML   template.HTML // of View.Part

	blank bool
	err   error
}

// Empty reports whether the cell shows nothing.
func (c Cell) Empty() bool {
	return !c.blank && c.Text == "" && len(c.Badges) == 0 && c.Time == (Moment{}) && c.HTML == ""
}

// Text returns a cell with a text.
func Text(text string) Cell { return Cell{Text: text} }

// Mono returns a cell with a text of characters of one width, such as a code.
func Mono(text string) Cell { return Cell{Text: text, Style: "mono"} }

// None returns a cell without a dash.
func None() Cell { return Cell{blank: true} }

// Wrap returns a cell with a text over several lines.
func Wrap(text string) Cell { return Cell{Text: text, Style: "wrap"} }

// Badges returns a cell with states.
func Badges(badges ...Badge) Cell { return Cell{Badges: badges} }

// At returns a cell with an instant.
func At(m Moment) Cell { return Cell{Time: m} }

// To returns the cell with its content as a link.
func (c Cell) To(address string) Cell {
	c.Link = address
	return c
}

// Table is a table as its template part writes it.
type Table struct {
	Heads  []TableHead
	Rows   []TableRow
	Totals []Cell // below the rows; nil without them
	Empty  string // said instead of a table without rows
}

// TableHead is the head of a column.
type TableHead struct{ Title, Class string }

// TableRow is a row; its whole area is the link of its cell Whole.
type TableRow struct{ Cells []TableCell }

// TableCell is a cell in its column.
type TableCell struct {
	Cell

	Title, Class string
	Whole        bool // its link covers the row
}

// NewTable returns a table of rows. The link of a row, if link is not nil, is that of its first cell and covers the row.
func NewTable[R any](v *View, columns []Column[R], rows []R, link func(row *R) string) (*Table, error) {
	t := &Table{}
	var errs []error
	var shown []Column[R]
	for _, column := range columns {
		if column.Cell != nil {
			shown = append(shown, column)
			head := TableHead{Class: column.class("")}
			if column.Title != "" {
				head.Title = v.T(column.Title)
			}
			t.Heads = append(t.Heads, head)
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

// Table returns the table of the page's list; nil without one.
func (v *View) Table() (*Table, error) {
	if v.table == nil {
		return nil, nil //nolint:nilnil // a page without a list
	}
	return v.table(v)
}

// Part returns a cell with what a template of the page, such as a form, makes of other content.
func (v *View) Part(name string, content any) Cell {
	var out bytes.Buffer
	if err := v.template.ExecuteTemplate(&out, name, v.With(content)); err != nil {
		return Cell{err: fmt.Errorf("part %s: %w", name, err)}
	}
	return Cell{HTML: template.HTML(out.String())} //nolint:gosec // html/template has escaped it
}
