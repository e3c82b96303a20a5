package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"

	"github.com/gin-gonic/gin"
	swaggerfiles "github.com/swaggo/files/v2"
)

// docsPolicy lets the documentation load what this server serves, and nothing else. Swagger UI sets
// styles on elements, and its icons are in its stylesheet.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const (
	docsStart    = "/docs/start.js"
	asyncAPIPath = "/asyncapi.json"
)

//go:embed docs/index.html
var docsPage []byte

//go:embed docs/start.js
var docsScript []byte

// registerDocs writes the description down and serves it and the page that shows it, to everybody.
func (a *API) registerDocs() error {
	var err error
	if a.json, err = json.Marshal(a.huma.OpenAPI()); err != nil {
		return fmt.Errorf("api: describe: %w", err)
	}
	if a.yaml, err = a.huma.OpenAPI().YAML(); err != nil {
		return fmt.Errorf("api: describe: %w", err)
	}
	if a.older, err = downgraded(a.huma.OpenAPI()); err != nil {
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
	g.GET(docsStart, serve("text/javascript; charset=utf-8", docsScript))
	for name, contentType := range swaggerFiles() {
		content, err := fs.ReadFile(swaggerfiles.FS, name)
		if err != nil {
			return fmt.Errorf("api: documentation: %w", err)
		}
		g.GET(path.Join("/docs", name), serve(contentType, content))
	}
	return nil
}

// swaggerFiles are the files of Swagger UI that the page loads, with their types.
func swaggerFiles() map[string]string {
	return map[string]string{
		"swagger-ui.css": "text/css; charset=utf-8", "swagger-ui-bundle.js": "text/javascript; charset=utf-8", "favicon-32x32.png": "image/png",
	}
}

// docsFiles are the paths of what the page loads.
func docsFiles() []string {
	paths := []string{docsStart}
	for name := range swaggerFiles() {
		paths = append(paths, path.Join("/docs", name))
	}
	return paths
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
