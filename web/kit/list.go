package kit

import (
	"cmp"
	"slices"

	"banca/internal/auth"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
)

// List is a page with a table of rows: filtered and paged by parameters of the address, and exported as a file.
type List[R, P any] struct {
	Template  string
	File      string // the name of the file; "" for none
	Columns   []Column[R]
	ColumnsOf func(rows []R) []Column[R] // of the table with these rows, in place of Columns; nil for Columns
	Link      func(row *R) string        // address of a row's object; nil for none
	Empty     string                     // key of the text for a list without rows
	Unpaged   bool                       // all rows are on one page
	FileRows  int64                      // rows of a file; 0 for as many as a file may have. The page offers another way to longer lists
	Counted   int                        // bound of the count behind a page, for callers with reports:read, who can prepare a longer file; 0 for storage.MaxCounted
	Bounded   func(r *Request) bool      // reports whether Counted bounds the count of the question; nil for always
	Order     string                     // the default order
	Rows      func(r *Request, w Window) ([]R, int64, error)
	Filter    func(r *Request) (*Filter, error)      // nil for none
	Page      func(r *Request, rows []R) (*P, error) // the other data of the page; nil for none
	Beside    func(r *Request) (*P, error)           // the other data of a page, read at the same time as the rows; it changes nothing of the request
	Totals    func(v *View, rows []R) []Cell         // the row of totals; nil for none
	Group     func(v *View, row *R) string           // the title above rows that are together in the default order; nil for none

	EmptyIf map[string]string // replaces Empty, by a parameter that the address has
}

// Window is the part of a list to read, and its order.
type Window struct {
	Limit, Offset int
	Counted       int // the total may be a lower bound from there on; 0 for storage.MaxCounted
	Order         string
	Sums          bool // only the summed columns of the rows are needed
}

// Show shows the list or sends it as a file. It is the handler of a GET.
func (l *List[R, P]) Show(r *Request) error {
	if l.File == "" || !r.WantsFile() {
		return l.AsPage().Show(r)
	}
	if err := l.readFilter(r); err != nil {
		return err
	}
	return SendFile(r, l.File, l.Columns, l.pages(r))
}

// pages returns the pages of a file, one a call. Rows that are inserted before a page while the pages are read shift it.
func (l *List[R, P]) pages(r *Request) func() ([]R, bool, error) {
	offset, order := 0, l.order(r)
	return func() ([]R, bool, error) {
		rows, total, err := l.read(r, Window{Limit: ExportRows, Offset: offset, Order: order})
		if total > maxSorted && l.sorter(order) != nil { // too long for it, as its page says
			order = l.Order
		}
		if err == nil && offset == 0 {
			var long bool
			if long, err = l.long(r, total); long {
				err = sheet.ErrTooLarge
			}
		}
		offset += len(rows)
		return rows, len(rows) > 0 && int64(offset) < total, err
	}
}

// long reports whether the list has more rows than its file. The total may be a bound: a row too many shows that there are more.
func (l *List[R, P]) long(r *Request, total int64) (bool, error) {
	if total < manyRows && total <= l.fileRows() {
		return false, nil
	}
	beyond, _, err := l.read(r, Window{Limit: 1, Offset: int(l.fileRows()), Order: l.order(r)})
	return len(beyond) > 0, err
}

func (l *List[R, P]) fileRows() int64 {
	if l.FileRows == 0 {
		return sheet.MaxRows
	}
	return l.FileRows
}

// AsPage returns the list as a Page, whose methods answer forms.
func (l *List[R, P]) AsPage() Page[P] { return Page[P]{Template: l.Template, Load: l.load} }

func (l *List[R, P]) load(r *Request) (*P, error) {
	pager := r.pageOfList()
	if l.Unpaged {
		pager = &Pager{number: 1, limit: ExportRows, counted: manyRows}
	}
	counted := 0
	if l.Counted != 0 && r.May(auth.ReportsRead) && (l.Bounded == nil || l.Bounded(r)) {
		counted, pager.counted = l.Counted, int64(l.Counted)
	}
	ordered := order{value: l.order(r), here: r.URL()}
	beside := l.beside(r)
	defer func() { _, _ = beside() }() // it reads the request, which ends with the answer
	rows, total, err := l.read(r, Window{Limit: pager.limit, Offset: pager.offset(), Counted: counted, Order: ordered.value})
	if err == nil && len(rows) == 0 && pager.number > 1 {
		r.Warn(r.T("list.beyond"))
		pager.number = 1
		rows, total, err = l.read(r, Window{Limit: pager.limit, Counted: counted, Order: ordered.value})
	}
	if err != nil {
		return nil, err
	}
	r.pager = pager.count(r.URL(), len(rows), total)
	if r.pager.Sums, err = l.sumsOf(r, rows, total); err != nil {
		return nil, err
	}
	if total > maxSorted && l.Filter != nil && l.sorts() {
		r.pager.Sorted = maxSorted
	}
	switch {
	case counted != 0:
		r.long = pager.Many()
	case l.FileRows != 0:
		if r.long, err = l.long(r, total); err != nil {
			return nil, err
		}
	}
	if l.File != "" && !r.long && total > 0 && total <= l.fileRows() {
		r.OfferFile()
	}
	if err := l.readFilter(r); err != nil {
		return nil, err
	}
	if l.ColumnsOf != nil {
		shown := *l
		shown.Columns = l.ColumnsOf(rows)
		l = &shown
	}
	r.table, r.order = RowsOf(l.withoutOwn(r, l.sortable(total), rows), rows, l.Link, l.emptyKey(r)), ordered
	if l.Group != nil && ordered.value == l.Order {
		r.table = r.table.GroupBy(func(v *View, i int) string { return l.Group(v, &rows[i]) })
	}
	if l.Totals != nil {
		r.table = r.table.Sum(func(v *View) []Cell { return l.Totals(v, rows) })
	}
	if l.Page != nil {
		return l.Page(r, rows)
	}
	return beside()
}

// withoutOwn returns the columns without the one that has the same entity in all rows of a cashier's list.
func (l *List[R, P]) withoutOwn(r *Request, columns []Column[R], rows []R) []Column[R] {
	own := slices.IndexFunc(columns, func(c Column[R]) bool { return c.Title == "label.entity" && c.Cell != nil })
	first := slices.IndexFunc(columns, func(c Column[R]) bool { return c.Cell != nil && c.Title != "label.entity" })
	if own < 0 || first < 0 || own == 0 && columns[first].Number || l.Totals != nil || r.Caller.Role != models.RoleTaquilla {
		return columns
	}
	v := r.View()
	name := func(row *R) string { return columns[own].Cell(v, row).Text }
	if slices.ContainsFunc(rows, func(row R) bool { return name(&row) != name(&rows[0]) }) {
		return columns
	}
	return slices.Delete(slices.Clone(columns), own, own+1)
}

// sumsOf returns the totals of a list whose page has the rows. A list of up to maxSorted rows is read for them; a longer one has none.
func (l *List[R, P]) sumsOf(r *Request, rows []R, total int64) (texts []string, err error) {
	if r.pager.Many() || total > maxSorted || !slices.ContainsFunc(l.Columns, func(c Column[R]) bool { return c.Sum || c.Adds != nil }) {
		return nil, nil
	}
	if int64(len(rows)) < total {
		rows, _, err = l.rows(r, Window{Limit: maxSorted, Order: l.Order, Sums: true})
	}
	return l.sums(r, rows), err
}

// sums returns the totals of the columns with one, with the currency of their rows.
func (l *List[R, P]) sums(r *Request, rows []R) (texts []string) {
	unit := slices.IndexFunc(l.Columns, func(c Column[R]) bool { return c.Unit && c.Cell != nil })
	for i := range l.Columns {
		column := &l.Columns[i]
		if !column.Sum && column.Adds == nil || column.File == nil || column.Cell == nil || unit < 0 {
			continue
		}
		title := column.Title
		var units []string
		totals, digits := map[string]money.Amount{}, map[string]int{}
		for j := range rows {
			if column.Adds != nil && !column.Adds(&rows[j]) {
				title = cmp.Or(column.AddsAs, title)
				continue
			}
			name := l.Columns[unit].Cell(r.View(), &rows[j]).Text
			if _, known := totals[name]; !known {
				units = append(units, name)
			}
			amount, decimals := column.File(&rows[j]).Number()
			totals[name], digits[name] = totals[name]+amount, decimals
		}
		for _, name := range units {
			texts = append(texts, r.View().T("pager.sum", r.T(title), r.View().Money(totals[name], digits[name]), name))
		}
	}
	return texts
}

// readFilter reads the conditions of the list from the address.
func (l *List[R, P]) readFilter(r *Request) (err error) {
	if l.Filter == nil {
		return nil
	}
	if r.filter, err = l.Filter(r); err != nil {
		return err
	}
	if r.Query(orderParam) != "" {
		r.filter.Fields = append(r.filter.Fields, HiddenField(orderParam))
	}
	r.filter.fill(r)
	return nil
}

// beside starts to read the other data of the page, and returns a function that waits for it.
func (l *List[R, P]) beside(r *Request) func() (*P, error) {
	if l.Beside == nil {
		return func() (*P, error) { return new(P), nil }
	}
	var reading Parts
	var page *P
	reading.Go(func() (err error) {
		page, err = l.Beside(r)
		return err
	})
	return func() (*P, error) {
		err := reading.Wait()
		return page, err
	}
}

// emptyKey returns the key of the text for a list without rows. A list that a filter left empty has another text than a list that is always empty.
func (l *List[R, P]) emptyKey(r *Request) string {
	for parameter, key := range l.EmptyIf {
		if r.Query(parameter) != "" {
			return key
		}
	}
	if r.filter != nil && len(r.filter.Given) > 0 && l.Empty != "" {
		return "list.unmatched"
	}
	return l.Empty
}
