package system

import (
	"bytes"
	"errors"
	"html/template"
	"net/http"
	"path"
	"regexp"
	"strings"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/web/kit"
)

// monitorPolicy is for asynqmon, a program of others with scripts in its page. It may talk to this server only.
const monitorPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// unlockPath is the address of the form that leads to the view with buttons.
const unlockPath = "/admin/unlock-queues"

// monitor hands a request on to asynqmon. A change needs the permission queues:write and a password confirmed within the
// last minutes, and is in the activity log before it is made; all other users get the read-only view.
func (p *pages) monitor(r *kit.Request) error {
	w, request := r.HTTP()
	w.Header().Set("Content-Security-Policy", monitorPolicy)
	view := p.Queues.ReadOnly
	if r.May(auth.QueuesWrite) {
		switch err := p.Auth.Confirmed(r.Context(), r.Caller); {
		case err == nil:
			view = p.Queues.Full
		case !errors.Is(err, auth.ErrConfirmationRequired):
			return err
		}
	}
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		switch {
		case !r.May(auth.QueuesWrite):
			return r.Plain(http.StatusForbidden, r.T("code.FORBIDDEN"))
		case view == p.Queues.ReadOnly:
			return r.Plain(http.StatusForbidden, r.T("queues.unconfirmed"))
		}
		if err := p.Activity.Record(r.Context(), change(request, &r.Caller)); err != nil {
			return err
		}
	}
	framed := &framedWriter{ResponseWriter: w, way: wayBack{Text: r.T("queues.back"), Language: r.Language}}
	view.ServeHTTP(framed, request)
	return framed.finish()
}

// unlock leads to the queues once the password is confirmed.
func (p *pages) unlock(r *kit.Request) error { return r.Redirect(QueuesPath) }

// change is the entry of a change: "run", "archive_all", "pause" or, for the method, "delete", of a path as
// "default/archived_tasks/<id>".
func change(r *http.Request, p *caller.Caller) activity.Entry {
	target := strings.TrimPrefix(r.URL.Path, QueuesPath+"/api/queues/")
	action := strings.ToLower(r.Method)
	if i := strings.LastIndexByte(path.Base(target), ':'); i >= 0 {
		base := path.Base(target)
		action = base[i+1:]
		target = strings.TrimSuffix(target, base[i:])
	}
	return activity.Entry{Action: activity.QueueAction(action), EntityID: p.EntityID, Target: target}
}

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
