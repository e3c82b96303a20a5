package middleware

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/api/problem"
)

// scriptHeader is the header of the requests of a page's script for a newer state of the page.
const scriptHeader = "Hx-Request"

// ForBrowsers hands the requests of browsers for the panel's pages among the paths of the API on to the panel.
func ForBrowsers(panel Panel, basePath string) gin.HandlerFunc {
	return func(c *gin.Context) {
		path, below := strings.CutPrefix(c.Request.URL.Path, basePath)
		page := panel.Pages[path]
		if page == nil || !below || c.Request.Method != http.MethodGet || !wantsPage(c.Request) {
			c.Next()
			return
		}
		page(c)
		c.Abort()
	}
}

// NotFound answers an address without a page or an operation: browsers with the page of the panel, if there is one,
// and other clients with a problem. A browser is sent to the address without slashes at its end.
func NotFound(panel Panel) gin.HandlerFunc {
	return func(c *gin.Context) {
		if trimmed := "/" + strings.Trim(c.Request.URL.Path, "/"); c.Request.Method == http.MethodGet && wantsPage(c.Request) && trimmed != c.Request.URL.Path {
			c.Redirect(http.StatusPermanentRedirect, (&url.URL{Path: trimmed, RawQuery: c.Request.URL.RawQuery}).String())
			return
		}
		if panel.Missing != nil && wantsPage(c.Request) {
			panel.Missing(c)
			return
		}
		problem.New(http.StatusNotFound, "NOT_FOUND", "there is nothing at this path").Write(c.Writer, c.Request)
	}
}

// wantsPage reports whether a browser or the script of a page sent a request.
func wantsPage(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html") || r.Header.Get(scriptHeader) != ""
}
