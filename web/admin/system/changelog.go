package system

import (
	"html/template"
	"net/url"
	"strings"

	"banca/internal/platform/markdown"
	"banca/web/kit"
)

// changesPage is what changed in each release.
type changesPage struct{ Text template.HTML }

// changesOf renders the changelog without its title, which the page has.
func changesOf(text string) template.HTML {
	if first, rest, found := strings.Cut(text, "\n"); found && strings.HasPrefix(first, "# ") {
		text = rest
	}
	blocks := markdown.Render(text, markdown.Options{Own: published, Page: true})
	return template.HTML(strings.Join(blocks, "\n")) //nolint:gosec // Render escapes all texts
}

// published accepts links to other sites. The files of the source that others name are not served.
func published(target string) (address string, ok bool) {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	return u.String(), true
}

func (p *pages) loadChanges(*kit.Request) (*changesPage, error) {
	return &changesPage{Text: p.changes}, nil
}
