package kit

import "slices"

// Tabs are pages about the same objects. Each page leads to the others with the parameters of the address that they share, and the menu has the
// first one that the caller may open.
type Tabs struct {
	Title string     // key, in the menu and for screen readers
	Keeps []string   // parameters
	Pages []MenuLink // in their order

	Without map[string]string // the path of a page that users of a role do not need, by the role
}

// In declares the page as one of tabs.
func (r Route) In(tabs *Tabs) Route {
	r.tabs = tabs
	return r
}

// tabLinks returns the tabs of the page for the template part tabs; nil for a page without tabs.
func (r *Request) tabLinks() *Segments {
	if r.route == nil || r.route.tabs == nil {
		return nil
	}
	query, here := r.URL().Query(), r.URL().Path
	if r.route.page != "" { // the request is a form of the page
		here = r.route.page
	}
	for name := range query {
		if !slices.Contains(r.route.tabs.Keeps, name) {
			query.Del(name)
		}
	}
	row := &Segments{Label: r.T(r.route.tabs.Title)}
	for _, page := range r.Links(r.route.tabs.Pages...) {
		if page.Path == r.route.tabs.Without[r.Caller.Role] {
			continue
		}
		choice := Choice{Text: r.T(page.Title), Link: page.Path, Current: page.Path == here}
		if len(query) > 0 {
			choice.Link += "?" + query.Encode()
		}
		row.Choices = append(row.Choices, choice)
	}
	return row
}
