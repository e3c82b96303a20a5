package kit

import "net/http"

// Page is a template with the function that loads its data.
type Page[P any] struct {
	Template string
	Load     func(r *Request) (*P, error)
}

// Show shows the page; it is the handler of a GET.
func (p Page[P]) Show(r *Request) error { return p.Present(r, http.StatusOK, "") }

// Present shows the page with a status and a problem, "" for none. Each fill changes the loaded data, such as the
// fields of a form to those typed.
func (p Page[P]) Present(r *Request, status int, problem string, fill ...func(*P)) error {
	page, err := p.Load(r)
	if err != nil {
		return err
	}
	for _, f := range fill {
		if f != nil {
			f(page)
		}
	}
	return r.Write(status, p.Template, page, problem)
}

// Again shows the page with the refusal of an action; a failure is returned.
func (p Page[P]) Again(r *Request, err error, fill ...func(*P)) error {
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return p.Present(r, status, text, fill...)
}

// Submit answers a form of the page after its action: it redirects to the page, which shows the notice, or shows the
// page with the refusal.
func (p Page[P]) Submit(r *Request, err error, notice string, fill ...func(*P)) error {
	if err != nil {
		return p.Again(r, err, fill...)
	}
	return r.Done(r.pagePath(), notice)
}

// List is a page with rows: a filter in the address, pages of rows, and the same list as a file.
type List[R, P any] struct {
	Template string
	File     string      // the name of the file, "" without one
	Columns  []Column[R] // of the file
	Whole    bool        // all rows are on one page
	Rows     func(r *Request, w Window) ([]R, int64, error)
	Page     func(r *Request, rows []R) (*P, error)
}

// Window is the part of a list to read.
type Window struct{ Limit, Offset int }

// Show shows the list, or sends it as a file; it is the handler of a GET.
func (l *List[R, P]) Show(r *Request) error {
	if l.File == "" || !r.WantsFile() {
		return l.AsPage().Show(r)
	}
	rows, _, err := l.Rows(r, Window{Limit: ExportRows})
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
	rows, total, err := l.Rows(r, Window{Limit: pager.limit, Offset: pager.offset()})
	if err != nil {
		return nil, err
	}
	r.pager = pager.count(r.URL(), len(rows), total)
	if l.File != "" {
		r.OfferFile()
	}
	return l.Page(r, rows)
}
