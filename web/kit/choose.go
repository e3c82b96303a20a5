package kit

import (
	"net/url"
	"slices"
)

// Choose returns the option whose value is in a parameter of the address, or the first option, and all options as links that keep the other
// parameters. A value that is no option is said on the page.
func (r *Request) Choose(parameter string, options []Option) (chosen string, links []Choice) {
	if len(options) == 0 {
		return "", nil
	}
	chosen = options[0].Value
	if asked := r.Query(parameter); asked != "" {
		if slices.ContainsFunc(options, func(o Option) bool { return o.Value == asked }) {
			chosen = asked
		} else {
			r.Warn(r.T("filter.wrong"))
		}
	}
	for _, option := range options {
		query := listQuery(r.URL())
		query.Set(parameter, option.Value)
		links = append(links, Choice{Text: option.Text, Link: r.URL().Path + "?" + query.Encode(), Current: option.Value == chosen})
	}
	return chosen, links
}

// listQuery returns the parameters of the first page of a list at an address.
func listQuery(here *url.URL) url.Values {
	query := here.Query()
	for _, name := range []string{pageParam, doneParam, besideParam, formatParam} {
		query.Del(name)
	}
	return query
}

// Segments are choices in one row, of which one is shown.
type Segments struct {
	Label   string
	Choices []Choice
}

// Segments returns the choices for the template part segments; nil without a second choice. label is a key.
func (v *View) Segments(label string, choices []Choice) *Segments {
	if len(choices) < 2 {
		return nil
	}
	return &Segments{Label: v.T(label), Choices: choices}
}
