package kit

import "net/http"

// Page is a template with the function that loads its data.
type Page[P any] struct {
	Template string
	Load     func(r *Request) (*P, error)
}

// Show shows the page. It is the handler of a GET.
func (p Page[P]) Show(r *Request) error { return p.Present(r, http.StatusOK, "") }

// Present shows the page with a status and a problem, "" for none. Each fill changes the loaded data, for example sets
// the fields of a form to the values that were typed.
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

// ShowRefusal shows the page with the text of an error of an action. It returns err if it is a failure.
func (p Page[P]) ShowRefusal(r *Request, err error, fill ...func(*P)) error {
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return p.Present(r, status, text, fill...)
}

// Submit answers a form of the page after its action, whose error is err. Without an error it redirects to the page,
// which shows the notice; otherwise it calls ShowRefusal.
func (p Page[P]) Submit(r *Request, err error, notice string, fill ...func(*P)) error {
	return p.SubmitTo(r, err, r.pagePath(), notice, fill...)
}

// SubmitTo does the same as Submit, and redirects to the page at another address.
func (p Page[P]) SubmitTo(r *Request, err error, address, notice string, fill ...func(*P)) error {
	if err != nil {
		return p.ShowRefusal(r, err, fill...)
	}
	return r.Done(address, notice)
}
