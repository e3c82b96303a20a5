package system

import (
	"bytes"
	"html/template"
	"net/http"
	"regexp"
)

// framedWriter adds a way back to the panel to a page of asynqmon, and takes out its links to other hosts. Other answers are
// sent unchanged.
type framedWriter struct {
	http.ResponseWriter

	way  wayBack
	page *bytes.Buffer // the page; nil for another answer
	sent bool          // the answer has begun
}

// wayBack is the link to the panel.
type wayBack struct{ Text, Language string }

// pageMark begins a page of asynqmon, which it sends at once.
const pageMark = "<!doctype html>"

// elsewhere matches the links of the page to style sheets of other hosts, which are fonts.
var elsewhere = regexp.MustCompile(`<link rel="stylesheet" href="https?://[^"]*"\s*/?>`)

// barStyle makes the bar with the way back as high as it moves the page down.
const barStyle = `body{padding-top:36px}#way-back{position:fixed;inset:0 0 auto;z-index:2000;height:36px;padding:0 12px;` +
	`font:14px/36px system-ui,sans-serif;background:#0b3d66;color:#fff}#way-back a{color:#fff}header.MuiPaper-root,.MuiDrawer-paper{top:36px!important}` +
	`.MuiDrawer-paper{height:calc(100vh - 36px)!important}`

// bar returns the bar with the way back, with its style.
func (w wayBack) bar() string {
	escape := template.HTMLEscapeString
	return `<style>` + barStyle + `</style><nav id="way-back" lang="` + escape(w.Language) + `"><a href="` + tasksPath + `">← ` + escape(w.Text) + `</a></nav>`
}

// Write implements io.Writer.
func (w *framedWriter) Write(text []byte) (int, error) {
	if !w.sent {
		w.sent = true
		if bytes.HasPrefix(bytes.ToLower(text[:min(len(text), len(pageMark))]), []byte(pageMark)) {
			w.page = &bytes.Buffer{}
		}
	}
	if w.page != nil {
		return w.page.Write(text)
	}
	return w.ResponseWriter.Write(text)
}

// finish sends the page.
func (w *framedWriter) finish() error {
	if w.page == nil {
		return nil
	}
	const body = "<body>"
	page := elsewhere.ReplaceAll(w.page.Bytes(), nil)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err := w.ResponseWriter.Write(bytes.Replace(page, []byte(body), []byte(body+w.way.bar()), 1))
	return err
}
