// Package drawcause says which draws were not closed in an external system and why, for the pages that list their alerts.
package drawcause

import (
	"cmp"
	"net/url"

	"banca/internal/draws"
	"banca/web/admin/links"
	"banca/web/kit"
)

// Param is the parameter of the list of alerts that names a cause.
const Param = "cause"

// Link is the address of the open alerts of a cause.
func Link(c *draws.Cause) string {
	if c.Key == "" {
		return links.DrawAlerts
	}
	return links.DrawAlerts + "?" + url.Values{Param: {c.Key}}.Encode()
}

// Text says how many draws were not closed, where, since when and why.
func Text(v *kit.View, f *draws.CloseFailure) string {
	return v.N("unclosed.draws", f.Draws, cmp.Or(f.Source, v.T("unclosed.system")), v.Clock(f.Since), Reason(func(key string) string { return v.T(key) }, &f.Cause))
}

// Known reports whether the class of a failure has a text.
func Known(text func(key string) string, c *draws.Cause) bool {
	found := text("unclosed.code." + c.Code)
	return found != "" && found != "unclosed.code."+c.Code // a request and a view differ
}

// Reason is the class of a failure, with the status of the answer. text returns the text of a key.
func Reason(text func(key string) string, c *draws.Cause) string {
	reason := text("unclosed.code.other")
	if Known(text, c) {
		reason = text("unclosed.code." + c.Code)
	}
	if c.Status != "" {
		reason += " (" + c.Status + ")"
	}
	return reason
}
