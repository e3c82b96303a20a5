package kit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"banca/internal/platform/caller"
	"banca/internal/platform/gzipped"
)

// pageType is the content type of pages.
const pageType = "text/html; charset=utf-8"

// View is the data of a template: the data of the page, and the data that every page has.
type View struct {
	Page    any    // content of the page
	Problem string // text of an error
	Notice  string // text after an action
	Pager   *Pager // of a list
	Frame   any    // data of the layout, from Frame.Data

	User      caller.Caller
	SignedIn  bool
	Language  string
	Languages []Language
	FormToken string

	Filter *Filter   // of a list
	Tabs   *Segments // the pages that the page is a tab of; nil for none
	Guide  string    // address of the chapter that explains the page; "" for none

	words    map[string]string
	tones    map[string]string // by state
	table    Rows
	order    order              // of the list
	template *template.Template // the page, with its parts
	zone     *time.Location
	now      time.Time
	beside   string // the object that shows the notice
	here     *url.URL
}

// Language is a language the page can be shown in.
type Language struct {
	Code    string
	Link    string // to the same page
	Current bool
}

// With returns the view with other content, for a part of the page.
func (v *View) With(content any) *View {
	part := *v
	part.Page = content
	return &part
}

// Render writes a page of the area with its content.
func (r *Request) Render(page string, content any) error {
	return r.Write(http.StatusOK, page, content, "")
}

// Write writes a page of the area with a status and a problem, "" for none.
func (r *Request) Write(status int, page string, content any, problem string) error {
	r.write(status, r.route.templates, page, layoutName, &View{Page: content, Problem: problem})
	return nil
}

// Part writes a part of a page, which a script inserts.
func (r *Request) Part(page, name string, content any) error {
	r.write(http.StatusOK, r.route.templates, page, name, &View{Page: content})
	return nil
}

// write executes a template and writes its output. If the template fails, the answer is a status 500 without a page.
func (r *Request) write(status int, templates pages, page, name string, v *View) {
	v.Language, v.words, v.zone = r.Language, r.site.words[r.Language], r.site.Zone
	v.FormToken, v.Pager, v.Filter = r.formToken(), r.pager, r.filter
	assembled, err := templates.template(page)
	v.table, v.order, v.template = r.table, r.order, assembled
	v.now, v.tones = r.site.Clock.Now(), r.site.tones
	if v.Problem == "" {
		v.Problem = r.problem
	}
	v.User, v.SignedIn, v.here, v.Guide = r.Caller, r.Caller.Role != "", r.URL(), r.guide()
	v.Tabs = r.tabLinks()
	switch {
	case name != layoutName:
	case r.capture != nil:
		name = contentName
	default:
		r.frame(v)
	}
	var out bytes.Buffer
	if err == nil {
		err = v.template.ExecuteTemplate(&out, name, v)
	}
	if err != nil {
		r.site.Log.LogAttrs(r.Context(), slog.LevelError, "page failed", slog.String("page", page), slog.Any("error", err))
		r.c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	if r.capture != nil {
		if status == http.StatusOK {
			r.capture(out.Bytes())
		}
		return
	}
	r.c.Header("Content-Language", v.Language)
	if status == http.StatusOK && r.fresh(out.Bytes()) {
		r.c.Status(http.StatusNotModified)
		return
	}
	sendPage(r.c, status, out.Bytes())
	if r.keep != nil && status == http.StatusOK {
		r.keep(out.Bytes())
	}
}

// guide returns the address of the chapter that explains the page of the request, "" for none. A form that is shown
// again is explained as its page.
func (r *Request) guide() string {
	if r.site.Guide == "" || r.route == nil || r.route.Guide == "" {
		return ""
	}
	return r.site.Guide + "/" + r.route.Guide
}

// Revalidated lets browsers keep the page that is written next, and ask before each use whether it has changed. It is
// for pages that are the same for every user.
func (r *Request) Revalidated() { r.kept = true }

// fresh sets the tag of a page that browsers keep, and reports whether the browser has it.
func (r *Request) fresh(page []byte) bool {
	if !r.kept {
		return false
	}
	sum := sha256.Sum256(page)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	r.c.Header("Cache-Control", "no-cache")
	r.c.Header("ETag", tag)
	return r.c.GetHeader("If-None-Match") == tag
}

// leastCompressed is the length from which a page is compressed.
const leastCompressed = 1024

// sendPage sends a page, compressed if it is long and the client takes it. The cookies of a session are not sent with
// requests of other sites, so that no other site can learn from the lengths of answers what they hold.
func sendPage(c *gin.Context, status int, page []byte) {
	var compressed []byte
	if len(page) >= leastCompressed && takesGzip(c) {
		compressed, _ = gzipped.Bytes(page, gzipped.Fast) // a page that cannot be compressed is sent as it is
	}
	sendCompressed(c, status, pageType, page, compressed)
}

// frame sets the data that only whole pages have.
func (r *Request) frame(v *View) {
	v.Languages = languages(r)
	v.Notice = v.words["done."+r.c.Query(doneParam)] // an unknown key shows no notice
	v.beside = r.c.Query(besideParam)
	v.Frame = r.site.Frame.Data(r)
}

// languages returns the languages with links to the same page.
func languages(r *Request) []Language {
	var all []Language
	for _, code := range slices.Sorted(maps.Keys(r.site.words)) {
		query := r.URL().Query()
		query.Set(languageParam, code)
		all = append(all, Language{Code: code, Current: code == r.Language, Link: r.URL().Path + "?" + query.Encode()})
	}
	return all
}
