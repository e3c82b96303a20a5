package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/api/middleware"
)

// A browser gets a page with the search at an address without a page, another client a problem.
func TestAnAddressWithoutAPage(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.engine.RedirectTrailingSlash = false // as the engine of the API
	p.engine.NoRoute(middleware.NotFound(middleware.Panel{Missing: p.web.site.Missing}))
	ask := func(path, accept string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Header.Set("Accept", accept)
		p.engine.ServeHTTP(w, r)
		return w
	}
	for path, to := range map[string]string{"/docs/guide/": "/docs/guide", "//evil.example/": "/evil.example", "/nada//": "/nada", "/a/?q=1": "/a?q=1"} {
		w := ask(path, "text/html")
		assert.Equal(t, http.StatusPermanentRedirect, w.Code, path)
		assert.Equal(t, to, w.Header().Get("Location"), path)
	}
	for _, path := range []string{"/nada", "/admin/nada"} {
		w := ask(path, "text/html,application/xhtml+xml")
		assert.Equal(t, http.StatusNotFound, w.Code, path)
		assert.Contains(t, w.Body.String(), "No hay una página en esta dirección", path)
		assert.Contains(t, w.Body.String(), `action="/admin/search"`, path)
		assert.NotEmpty(t, w.Header().Get("Content-Security-Policy"))
		w = ask(path, "application/json")
		assert.Equal(t, http.StatusNotFound, w.Code, path)
		assert.Contains(t, w.Body.String(), `"NOT_FOUND"`, path)
	}
	assert.NotContains(t, ask("/nada", "text/html").Body.String(), `id="menu"`, "without a session")
	p.enter(t, "admin@banca.test")
	p.header["Accept"] = "text/html"
	w := p.get("/nada")
	assert.Equal(t, http.StatusNotFound, w.Code)
	assert.Contains(t, w.Body.String(), `id="menu"`)
}
