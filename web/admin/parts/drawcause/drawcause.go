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
	system := cmp.Or(f.Source, v.T("unclosed.system"))
	return v.N("unclosed.draws", f.Draws, system, v.Clock(f.Since), Reason(v, &f.Cause))
}

// Known reports whether the class of a failure has a text.
func Known(v *kit.View, c *draws.Cause) bool { return v.FirstText("unclosed.code."+c.Code) != "" }

// Reason is the class of a failure, with the status of the answer.
func Reason(v *kit.View, c *draws.Cause) string {
	reason := v.FirstText("unclosed.code."+c.Code, "unclosed.code.other")
	if c.Status != "" {
		reason += " (" + c.Status + ")"
	}
	return reason
}
