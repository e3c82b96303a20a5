package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"log/slog"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
	"banca/models"
)

// pagePolicy lets a page use embedded files and send its forms to this server only.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

//go:embed templates
var templateFiles embed.FS

const (
	layoutFile = "templates/layout.html"
	partFiles  = "templates/parts/*.html"
)

// pages are the parsed templates by name, each with the layout around it and the parts that pages share.
type pages map[string]*template.Template

func loadPages() (pages, error) {
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("web: templates: %w", err)
	}
	all := pages{}
	for _, e := range entries {
		file := path.Join("templates", e.Name())
		if file == layoutFile || e.IsDir() {
			continue
		}
		t, err := template.New("layout.html").Funcs(functions()).ParseFS(templateFiles, layoutFile, partFiles, file)
		if err != nil {
			return nil, fmt.Errorf("web: template: %w", err)
		}
		all[strings.TrimSuffix(e.Name(), ".html")] = t
	}
	return all, nil
}

// functions are what templates can call besides the methods of a view.
func functions() template.FuncMap {
	return template.FuncMap{
		"roles": func() []string { return []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} },
		"tail":  func(text string) int { return max(0, len(text)-6) },
	}
}

// view is the data of a template: a page's own, and that of the frame around it.
type view struct {
	Page    any    // content of the page
	Problem string // what went wrong, in words
	Notice  string // the notice of an action, in words
	Pager   *pager // of a list

	User      auth.Principal
	SignedIn  bool
	Entity    string // the user's
	Today     string // business day
	Menu      []menuArea
	Language  string
	Languages []language
	FormToken string
	Docs      string

	words map[string]string
	zone  *time.Location
}

// language is a language the page can be shown in.
type language struct {
	Code    string
	Link    string // to the same page
	Current bool
}

// render writes a page with its content.
func (w *Web) render(c *gin.Context, page string, content any) {
	w.show(c, http.StatusOK, page, &view{Page: content})
}

// show writes a page whose view has more than content; it fills in the frame.
func (w *Web) show(c *gin.Context, status int, page string, v *view) {
	w.speak(c, v)
	w.frame(c, v)
	w.write(c, status, page, "layout.html", v)
}

// part writes a piece of a page, for a script to put into its place.
func (w *Web) part(c *gin.Context, page, name string, content any) {
	v := &view{Page: content}
	w.speak(c, v)
	w.write(c, http.StatusOK, page, name, v)
}

// write executes a template; a failed one is answered with a bare 500, since a page is what failed.
func (w *Web) write(c *gin.Context, status int, page, name string, v *view) {
	var out bytes.Buffer
	if err := w.pages[page].ExecuteTemplate(&out, name, v); err != nil {
		w.deps.Log.LogAttrs(c.Request.Context(), slog.LevelError, "page failed", slog.String("page", page), slog.Any("error", err))
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	c.Header("Content-Language", v.Language)
	c.Data(status, "text/html; charset=utf-8", out.Bytes())
}

// speak gives a view the visitor's language and the time zone of business.
func (w *Web) speak(c *gin.Context, v *view) {
	v.Language = visitOf(c).language
	v.words, v.zone = w.words[v.Language], w.deps.Zone
}

// frame fills in the data of the frame.
func (w *Web) frame(c *gin.Context, v *view) {
	current := visitOf(c)
	v.User, v.SignedIn = current.principal, current.principal.Role != ""
	v.FormToken, v.Docs = w.formToken(current), w.deps.DocsPath
	v.Languages = w.languages(c, current.language)
	v.Notice = v.words["done."+c.Query(doneParam)] // an unknown word shows no notice
	if v.SignedIn {
		v.Today = v.Day(w.deps.Clock.Now().In(v.zone))
		v.Entity = w.entityName(c, current.principal.EntityID)
		v.Menu = w.menu(c, &current.principal)
	}
}

// languages lists the choices with links to the same page.
func (w *Web) languages(c *gin.Context, current string) []language {
	var all []language
	for _, code := range slices.Sorted(maps.Keys(w.words)) {
		query := c.Request.URL.Query()
		query.Set(languageParam, code)
		all = append(all, language{Code: code, Current: code == current, Link: c.Request.URL.Path + "?" + query.Encode()})
	}
	return all
}
