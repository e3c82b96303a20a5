package middleware

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/rs/cors"

	"banca/api/problem"
)

// preflightAge is how long a browser may remember the answer to a preflight.
const preflightAge = 10 * time.Minute

// CORS lets scripts of the given origins, and of no others, call the API and read its answers. Cookies and other
// credentials that a browser adds itself are not allowed: a token is, which only the script can add. A preflight is
// answered here, without authentication and without counting. Without origins no script of another origin is allowed.
func CORS(origins []string, panel Panel, leaveOut func(path string) bool) gin.HandlerFunc {
	if len(origins) == 0 { // the library would take an empty list for everybody
		return func(c *gin.Context) { c.Next() }
	}
	policy := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "X-Device-Key", problem.RequestIDHeader},
		ExposedHeaders: append([]string{"ETag", "Idempotent-Replayed", "Location", "Retry-After", problem.RequestIDHeader}, RateHeaders()...),
		MaxAge:         int(preflightAge / time.Second),
	})
	return func(c *gin.Context) {
		path := c.Request.URL.Path
		if panel.owns(path) || leaveOut(path) {
			c.Next()
			return
		}
		policy.HandlerFunc(c.Writer, c.Request) // answers a preflight, and nothing else
		if c.Request.Method == http.MethodOptions && c.GetHeader("Access-Control-Request-Method") != "" {
			c.Writer.WriteHeaderNow()
			c.Abort()
			return
		}
		c.Next()
	}
}
