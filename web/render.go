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

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
)

// pagePolicy lets a page use what is embedded here and send its forms here.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

//go:embed templates/*.html
var templateFiles embed.FS

// pages are the parsed templates by name, each with the layout around it.
type pages map[string]*template.Template

func loadPages() (pages, error) {
	const layout = "templates/layout.html"
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("web: templates: %w", err)
	}
	all := pages{}
	for _, e := range entries {
		file := path.Join("templates", e.Name())
		if file == layout {
			continue
		}
		t, err := template.ParseFS(templateFiles, layout, file)
		if err != nil {
			return nil, fmt.Errorf("web: template: %w", err)
		}
		all[strings.TrimSuffix(e.Name(), ".html")] = t
	}
	return all, nil
}

// view is what a page shows. Pages fill in what they need; render adds the rest.
type view struct {
	Next   string // where to go after the login
	Name   string // that was typed at the login
	Reason string // key of what went wrong

	User      auth.Principal
	SignedIn  bool
	Language  string
	Languages []language
	FormToken string
	HasQueues bool
	Docs      string

	words map[string]string
}

// language is a language the page can be shown in.
type language struct {
	Code    string
	Link    string // to the same page
	Current bool
}

// T returns the text with a key in the page's language.
func (v view) T(key string) string { return v.words[key] }

// render writes a page; a failed one is answered with a bare 500, since a page is what failed.
func (w *Web) render(c *gin.Context, status int, page string, v view) {
	current := visitOf(c)
	v.User, v.SignedIn = current.principal, current.principal.Role != ""
	v.Language, v.words = current.language, w.words[current.language]
	v.FormToken, v.HasQueues = w.formToken(current), w.deps.Queues != nil
	v.Docs = w.deps.DocsPath
	v.Languages = w.languages(c, current.language)
	var out bytes.Buffer
	if err := w.pages[page].ExecuteTemplate(&out, "layout.html", v); err != nil {
		w.deps.Log.LogAttrs(c.Request.Context(), slog.LevelError, "page failed", slog.String("page", page), slog.Any("error", err))
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	c.Header("Content-Language", current.language)
	c.Data(status, "text/html; charset=utf-8", out.Bytes())
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
