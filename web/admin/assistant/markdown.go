package assistant

import (
	"html"
	"net/url"
	"strings"

	"banca/internal/platform/markdown"
	"banca/web/admin/links"
)

// render returns the blocks of a Markdown text as HTML, one element each. Its links lead to pages of the panel only. open reports that more text follows.
func render(text string, open bool) []string {
	return markdown.Render(text, markdown.Options{Own: ownPage, Open: open})
}

// ownPage returns the address of a page of the panel; ok is false for any other address.
func ownPage(target string) (address string, ok bool) {
	u, err := url.Parse(html.UnescapeString(target))
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || strings.ContainsAny(target, "\\") {
		return "", false
	}
	if strings.Contains(u.Path, "//") || strings.Contains(u.Path, "/.") || u.Path != links.Home && !strings.HasPrefix(u.Path, links.Home+"/") {
		return "", false
	}
	return (&url.URL{Path: u.Path, RawQuery: u.Query().Encode()}).String(), true
}
