package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
)

// docsPolicy lets the documentation load what this server serves, and nothing else. OpenAPI Explorer makes style
// elements and attributes, hence 'unsafe-inline' for styles; scripts are files of this server only.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const asyncAPIPath = "/asyncapi.json"

//go:embed docs/index.html
var docsPage []byte

// docsAssets are the files that the page loads: its own, and OpenAPI Explorer (Apache-2.0, docs/openapi-explorer.LICENSE.txt),
// which lists operations at once and draws one when it is opened.
//
//go:embed docs/*.js docs/*.css docs/*.txt
var docsAssets embed.FS

// lazyDocument writes a description of the API at its first call, because that takes longer than the rest of the start.
type lazyDocument func() ([]byte, error)

func documentOf(name string, write func() ([]byte, error)) lazyDocument {
	return sync.OnceValues(func() ([]byte, error) {
		content, err := write()
		if err != nil {
			return nil, fmt.Errorf("api: describe as %s: %w", name, err)
		}
		return content, nil
	})
}

// registerDocs serves the documents, and the page that shows them, without a login.
func (a *API) registerDocs() error {
	described := a.kit.Huma.OpenAPI()
	a.json = documentOf("JSON", func() ([]byte, error) { return json.Marshal(described) })
	a.yaml = documentOf("YAML", described.YAML)
	a.older = documentOf("OpenAPI 3.0", func() ([]byte, error) { return downgraded(described) })
	a.events = documentOf("AsyncAPI", a.asyncAPI)
	g := a.engine.Group(a.deps.BasePath)
	g.GET(asyncAPIPath, a.serveDocument("application/asyncapi+json", a.events))
	g.GET("/openapi-3.0.json", a.serveDocument("application/openapi+json", a.older))
	g.GET("/openapi.json", a.serveDocument("application/openapi+json", a.json))
	g.GET("/openapi.yaml", a.serveDocument("application/openapi+yaml", a.yaml))
	g.GET("/docs", serve("text/html; charset=utf-8", docsPage))
	for name, contentType := range docsTypes() {
		content, err := docsAssets.ReadFile(strings.TrimPrefix(name, "/"))
		if err != nil {
			return fmt.Errorf("api: documentation: %w", err)
		}
		g.GET(name, serve(contentType, content))
	}
	return nil
}

// docsTypes are the paths of the files that the page loads, with their content types.
func docsTypes() map[string]string {
	const script, style, text = "text/javascript; charset=utf-8", "text/css; charset=utf-8", "text/plain; charset=utf-8"
	return map[string]string{
		"/docs/start.js": script, "/docs/openapi-explorer.min.js": script, "/docs/docs.css": style, "/docs/openapi-explorer.LICENSE.txt": text,
	}
}

// docsFiles are the paths of the files that the page loads.
func docsFiles() []string { return slices.Sorted(maps.Keys(docsTypes())) }

// serveDocument answers with a document.
func (a *API) serveDocument(contentType string, d lazyDocument) gin.HandlerFunc {
	return func(c *gin.Context) {
		content, err := d()
		if err != nil {
			a.deps.Log.ErrorContext(c.Request.Context(), "the API cannot be described", "error", err)
			c.AbortWithStatus(http.StatusInternalServerError)
			return
		}
		serve(contentType, content)(c)
	}
}

// serve answers with fixed content.
func serve(contentType string, content []byte) gin.HandlerFunc {
	return func(c *gin.Context) {
		h := c.Writer.Header()
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Cache-Control", "no-cache")
		c.Data(http.StatusOK, contentType, content)
	}
}
