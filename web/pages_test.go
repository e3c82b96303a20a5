package web

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/web/kit"
)

// sources returns the templates of the panel and of what all pages share by name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	files := os.DirFS(".")
	require.NoError(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		raw, err := fs.ReadFile(files, path)
		all[path] = string(raw)
		return err
	}))
	require.Greater(t, len(all), 40)
	return all
}

// Every text of a page is in the catalogue: a template without its tags and actions has no letter, and no attribute
// that people read has a fixed value. Names of keys are the same in all languages.
func TestNoTextOutsideTheCatalogue(t *testing.T) {
	t.Parallel()
	actions, tags := regexp.MustCompile(`(?s)\{\{.*?\}\}`), regexp.MustCompile(`(?s)<[^>]*>`)
	keys := regexp.MustCompile(`<kbd>[^<]*</kbd>`)
	read := regexp.MustCompile(`(title|alt|placeholder|aria-label|content)="[^"{]*[A-Za-z]`)
	for name, source := range sources(t) {
		bare := keys.ReplaceAllString(actions.ReplaceAllString(source, ""), "")
		assert.False(t, strings.ContainsFunc(tags.ReplaceAllString(bare, ""), unicode.IsLetter), "%s: %s", name, tags.ReplaceAllString(bare, ""))
		for _, attribute := range read.FindAllString(source, -1) {
			assert.Regexp(t, `^content="(width|light)`, attribute, name)
		}
	}
}

func TestTheCataloguesHoldTheSameKeys(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	var used strings.Builder
	for _, source := range sources(t) {
		used.WriteString(source)
	}
	quoted := regexp.MustCompile(`\.T\s+"([a-z.]+)"`)
	for _, key := range quoted.FindAllStringSubmatch(used.String(), -1) {
		assert.NotEmpty(t, words[spanish][key[1]], key[1])
	}
	for key, text := range words[spanish] {
		assert.NotEmpty(t, text, key)
		assert.NotEmpty(t, words[english][key], key)
	}
	assert.Len(t, words[english], len(words[spanish]))
}

// Pages carry no inline script or style, which the policy would refuse, and load nothing from elsewhere.
func TestPagesAreSelfContained(t *testing.T) {
	t.Parallel()
	for name, source := range sources(t) {
		assert.NotRegexp(t, `(?i)<script[^>]*>[^<]|<style|\sstyle=|\son[a-z]+=|https?:`, source, name)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	for accept, want := range map[string]string{
		"": spanish, "en": english, "en-GB,es;q=0.8": english, "fr, es-VE;q=0.9, en;q=0.8": spanish, "de": spanish, "*": spanish,
	} {
		b.header["Accept-Language"] = accept
		assert.Contains(t, b.get(loginPath).Body.String(), `<html lang="`+want+`">`, accept)
	}
	delete(b.header, "Accept-Language")
	body := b.get(loginPath + "?next=%2Fadmin%2Fqueues").Body.String()
	assert.Contains(t, body, `href="/admin/login?lang=en&amp;next=%2Fadmin%2Fqueues"`, "a change of language keeps the place")
	assert.Contains(t, b.get(loginPath+"?lang=en&next=%2Fadmin%2Fqueues").Body.String(), "Password")
}

func TestHeadersOfPages(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	w := b.get(loginPath)
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'self';")
	assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
}

func TestAssets(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	w := b.get("/admin/static/panel.css")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "text/css; charset=utf-8", w.Header().Get("Content-Type"))
	b.header["If-None-Match"] = w.Header().Get("ETag")
	assert.Equal(t, http.StatusNotModified, b.get("/admin/static/panel.css").Code)
	delete(b.header, "If-None-Match")
	address := regexp.MustCompile(`href="(/admin/static/panel\.[0-9a-f]{16}\.css)"`).FindStringSubmatch(b.get(loginPath).Body.String())
	require.Len(t, address, 2)
	b.header["Accept-Encoding"] = "br, gzip"
	w = b.get(address[1])
	assert.Equal(t, "public, max-age=31536000, immutable", w.Header().Get("Cache-Control"))
	assert.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	assert.Less(t, w.Body.Len(), 10_000)
	other := b.get("/admin/static/panel.0123456789abcdef.css")
	assert.Equal(t, http.StatusOK, other.Code, "a page of another release asks for it")
	assert.Equal(t, "no-cache", other.Header().Get("Cache-Control"))
	page := b.get(loginPath)
	assert.Equal(t, "gzip", page.Header().Get("Content-Encoding"))
	assert.Contains(t, page.Header().Get("Vary"), "Accept-Encoding")
	b.header["Accept-Encoding"] = "gzip;q=0"
	assert.Empty(t, b.get(loginPath).Header().Get("Content-Encoding"))
	for _, path := range []string{"/", "/admin/"} {
		assert.Equal(t, home, b.get(path).Header().Get("Location"), path)
	}
	assert.Equal(t, http.StatusNotFound, b.get("/admin/static/..%2fweb.go").Code)
	assert.Equal(t, http.StatusNotFound, b.get("/admin/static/nothing").Code)
}
