package kit

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"banca/internal/platform/sheet"
)

// maxSorted bounds the rows of a list that any column sorts: all of them are read and sorted here, by the values that the file has. A longer list
// has the orders of its service, until its filter leaves fewer rows.
const maxSorted = 500

// descending is the prefix of the parameter sort for the greatest value first.
const descending = "-"

// sortKey is the value of the parameter sort for the column: the last word of the key of its title. Columns of the table and of the file with one
// title have one key.
func (c *Column[R]) sortKey() string { return c.Title[strings.LastIndexByte(c.Title, '.')+1:] }

// sortable returns the columns, of which each one whose values the file has orders a list of this length.
func (l *List[R, P]) sortable(total int64) []Column[R] {
	if total < 2 || total > maxSorted {
		return l.Columns
	}
	columns := slices.Clone(l.Columns)
	for i := range columns {
		c := &columns[i]
		key := c.sortKey()
		if l.sorter(descending+key) == nil {
			continue
		}
		c.Orders.Ascending = cmp.Or(c.Orders.Ascending, key)
		c.Orders.Descending = cmp.Or(c.Orders.Descending, descending+key)
	}
	return columns
}

// sorter returns the column of the file that a value of the parameter sort names, or nil if it names none, or an order of the service.
func (l *List[R, P]) sorter(value string) *Column[R] {
	key := strings.TrimPrefix(value, descending)
	ofService := func(c Column[R]) bool { return c.Orders.has(value) }
	i := slices.IndexFunc(l.Columns, func(c Column[R]) bool { return c.sortKey() == key && c.inFile() })
	if key == "" || i < 0 || slices.ContainsFunc(l.Columns, ofService) {
		return nil
	}
	return &l.Columns[i]
}

// SortRows returns the rows of a page that is no List in the order of the column that the address names, and the columns, of which each one whose
// values the file has orders them. More than maxSorted rows keep their order.
func SortRows[R any](r *Request, columns []Column[R], rows []R) ([]Column[R], []R) {
	l := &List[R, struct{}]{Columns: columns}
	r.order = order{value: l.order(r), here: r.URL()}
	if column := l.sorter(r.order.value); column != nil && len(rows) <= maxSorted {
		rows = column.sort(r.View(), rows, strings.HasPrefix(r.order.value, descending))
	}
	return l.sortable(int64(len(rows))), rows
}

// sorts reports whether a column that is shown sorts the list.
func (l *List[R, P]) sorts() bool {
	return slices.ContainsFunc(l.Columns, func(c Column[R]) bool { return c.Cell != nil && l.sorter(c.sortKey()) != nil })
}

// read returns the rows in a window of the list, and how many the list has. If a column sorts it and it is too long for that, the page says so.
func (l *List[R, P]) read(r *Request, w Window) ([]R, int64, error) {
	column, order := l.sorter(w.Order), w.Order
	if column == nil {
		return l.rows(r, w)
	}
	w.Order = l.Order
	rows, total, err := l.rows(r, Window{Limit: maxSorted, Counted: w.Counted, Order: l.Order})
	if err != nil {
		return nil, 0, err
	}
	if total > maxSorted {
		r.Warn(r.Say("list.unsorted", maxSorted))
		return l.rows(r, w)
	}
	rows = column.sort(r.View(), rows, strings.HasPrefix(order, descending))
	from := min(w.Offset, len(rows))
	return rows[from:min(from+w.Limit, len(rows))], total, nil
}

// sort returns the rows in the order of the column; those without a value are last, and equal ones keep their order.
func (c *Column[R]) sort(v *View, rows []R, falling bool) []R {
	type keyed struct {
		cell sheet.Cell
		row  int
	}
	texts := collate.New(language.Make(v.Language), collate.IgnoreCase, collate.Numeric)
	keys := make([]keyed, len(rows))
	for i := range rows {
		keys[i] = keyed{c.fileCell(v, &rows[i]), i}
	}
	slices.SortStableFunc(keys, func(a, b keyed) int {
		order := a.cell.Compare(b.cell, texts.CompareString)
		if falling && !a.cell.Empty() && !b.cell.Empty() {
			return -order
		}
		return order
	})
	sorted := make([]R, len(rows))
	for i := range keys {
		sorted[i] = rows[keys[i].row]
	}
	return sorted
}
