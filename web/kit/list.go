package kit

// List is a page with rows: a filter in the address, pages of rows in a table, and the same list as a file.
type List[R, P any] struct {
	Template string
	File     string // the name of the file, "" without one
	Columns  []Column[R]
	Link     func(row *R) string // address of a row's object; nil without one
	Empty    string              // key of what is said without rows
	Whole    bool                // all rows are on one page
	Order    string              // of the rows, without one in the address
	Rows     func(r *Request, w Window) ([]R, int64, error)
	Filter   func(r *Request) (*Filter, error)      // nil without one
	Page     func(r *Request, rows []R) (*P, error) // what the page shows besides; nil for nothing
	Totals   func(v *View, rows []R) []Cell         // a row below the others; nil without one

	EmptyIf map[string]string // another key of Empty, by the parameter of the address it is for
}

// Window is the part of a list to read, and its order.
type Window struct {
	Limit, Offset int
	Order         string
}

// Show shows the list, or sends it as a file; it is the handler of a GET.
func (l *List[R, P]) Show(r *Request) error {
	if l.File == "" || !r.WantsFile() {
		return l.AsPage().Show(r)
	}
	rows, _, err := l.Rows(r, Window{Limit: ExportRows, Order: l.order(r)})
	if err != nil {
		return err
	}
	SendCSV(r, l.File, l.Columns, rows)
	return nil
}

// AsPage returns the list as a page that answers forms.
func (l *List[R, P]) AsPage() Page[P] { return Page[P]{Template: l.Template, Load: l.load} }

func (l *List[R, P]) load(r *Request) (*P, error) {
	pager := pageOf(r.c)
	if l.Whole {
		pager = &Pager{number: 1, limit: ExportRows}
	}
	ordered := order{value: l.order(r), here: r.URL()}
	rows, total, err := l.Rows(r, Window{Limit: pager.limit, Offset: pager.offset(), Order: ordered.value})
	if err != nil {
		return nil, err
	}
	r.pager = pager.count(r.URL(), len(rows), total)
	if l.File != "" {
		r.OfferFile()
	}
	if l.Filter != nil {
		if r.filter, err = l.Filter(r); err != nil {
			return nil, err
		}
		if r.Query(orderParam) != "" {
			r.filter.Fields = append(r.filter.Fields, HiddenField(orderParam))
		}
		r.filter.fill(r)
	}
	r.table, r.order = RowsOf(l.Columns, rows, l.Link, l.emptyKey(r)), ordered
	if l.Totals != nil {
		r.table = r.table.Sum(func(v *View) []Cell { return l.Totals(v, rows) })
	}
	if l.Page == nil {
		return new(P), nil
	}
	return l.Page(r, rows)
}

// emptyKey returns the key of what is said without rows.
func (l *List[R, P]) emptyKey(r *Request) string {
	for parameter, key := range l.EmptyIf {
		if r.Query(parameter) != "" {
			return key
		}
	}
	return l.Empty
}
