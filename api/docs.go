package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

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

// registerDocs writes the description down and serves it and the page that shows it, to everybody.
func (a *API) registerDocs() error {
	var err error
	if a.json, err = json.Marshal(a.kit.Huma.OpenAPI()); err != nil {
		return fmt.Errorf("api: describe: %w", err)
	}
	if a.yaml, err = a.kit.Huma.OpenAPI().YAML(); err != nil {
		return fmt.Errorf("api: describe: %w", err)
	}
	if a.older, err = downgraded(a.kit.Huma.OpenAPI()); err != nil {
		return fmt.Errorf("api: describe: %w", err)
	}
	if a.events, err = a.asyncAPI(); err != nil {
		return fmt.Errorf("api: describe events: %w", err)
	}
	g := a.engine.Group(a.deps.BasePath)
	g.GET(asyncAPIPath, serve("application/asyncapi+json", a.events))
	g.GET("/openapi-3.0.json", serve("application/openapi+json", a.older))
	g.GET("/openapi.json", serve("application/openapi+json", a.json))
	g.GET("/openapi.yaml", serve("application/openapi+yaml", a.yaml))
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

// serve answers with fixed content.
func serve(contentType string, content []byte) gin.HandlerFunc {
	return func(c *gin.Context) {
		h := c.Writer.Header()
		h.Set("Content-Security-Policy", docsPolicy)
		h.Set("Cache-Control", "no-cache")
		c.Data(http.StatusOK, contentType, content)
	}
}
