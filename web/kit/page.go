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
