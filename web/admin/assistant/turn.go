package assistant

import (
	"html"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"banca/internal/assistant"
	"banca/internal/platform/businessday"
	"banca/internal/platform/markdown"
	"banca/web/admin/links"
	"banca/web/kit"
)

// turn is a question with its answer as the page shows it.
type turn struct {
	assistant.Message

	HTML    template.HTML // the answer
	Failure string        // why there is none
	Sources []source
}

// source is a page with the figures of an answer.
type source struct {
	Title       string // key
	About, Link string
	From, To    businessday.Day
}

func turnOf(r *kit.Request, m *assistant.Message) *turn {
	t := &turn{Message: *m, HTML: template.HTML(strings.Join(render(m.Answer, false), ""))} //nolint:gosec // render escapes all texts
	if m.State == assistant.StateFailed {
		if t.Failure = r.T("code." + m.ErrorCode); t.Failure == "" {
			t.Failure = r.T("code." + assistant.ErrInterrupted.Code)
		}
	}
	for i := range m.Results {
		t.add(r, &m.Results[i])
	}
	return t
}

// add adds the page of a result if the caller may open that.
func (t *turn) add(r *kit.Request, res *assistant.Result) {
	link, ok := ownPage(res.Link)
	page, _, _ := strings.Cut(link, "?")
	if res.Problem != "" || !ok || !r.MayOpen(page) || slices.ContainsFunc(t.Sources, func(s source) bool { return s.Link == link }) {
		return
	}
	t.Sources = append(t.Sources, source{Title: "assistant.tool." + res.Tool, About: res.About, Link: link, From: res.From, To: res.To})
}

// Open reports whether the answer is being written.
func (t *turn) Open() bool { return !t.Finished() }

// Stopped reports whether the user stopped the answer.
func (t *turn) Stopped() bool { return t.State == assistant.StateStopped }

// Part is the address of the turn.
func (t *turn) Part() string { return messagesPath + "/" + t.ID.String() }

// Days names the days of the answer's figures.
func (t *turn) Days(v *kit.View) string {
	texts := kit.Map(t.Periods(), func(p *assistant.Period) string { return period(v, p[0], p[1]) })
	return strings.Join(texts, " · ")
}

// sales reports whether the figures are sales, which have other levels and periods.
func (s *source) sales() bool { return strings.HasPrefix(s.Link, links.Reports+"/") }

// Text is the text of the link to the page.
func (s *source) Text(v *kit.View) string {
	parts := []string{v.T(s.Title)}
	if s.About != "" {
		parts = append(parts, s.About)
	}
	if !s.From.IsZero() {
		parts = append(parts, period(v, s.From, s.To))
	}
	return strings.Join(parts, " · ")
}

func period(v *kit.View, from, to businessday.Day) string {
	if from == to {
		return v.T("assistant.day."+strings.ToLower(from.Weekday().String())) + " " + v.Day(from)
	}
	return v.T("assistant.period", v.Day(from), v.Day(to))
}

// render returns the blocks of a Markdown text as HTML, one element each. Its links lead to pages of the panel only. open reports that more text follows.
func render(text string, open bool) []string {
	return markdown.Render(text, markdown.Options{Own: ownPage, Open: open, Compare: !open})
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
