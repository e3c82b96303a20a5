package middleware

import (
	"maps"
	"net/http"

	"github.com/gin-gonic/gin"
)

// Headers sets what protects the client of every answer. Pages replace the policy with their own.
func Headers(https bool) gin.HandlerFunc {
	fixed := http.Header{
		"X-Content-Type-Options":       {"nosniff"},
		"X-Frame-Options":              {"DENY"},
		"Referrer-Policy":              {"no-referrer"},
		"Cross-Origin-Opener-Policy":   {"same-origin"},
		"Cross-Origin-Resource-Policy": {"same-origin"},
		"Content-Security-Policy":      {"default-src 'none'; frame-ancestors 'none'"},
		"Cache-Control":                {"no-store"},
	}
	if https {
		fixed["Strict-Transport-Security"] = []string{"max-age=31536000"}
	}
	return func(c *gin.Context) {
		maps.Copy(c.Writer.Header(), fixed) // the slices are shared: a later Set puts one of its own in their place
		c.Next()
	}
}

// BodyLimit bounds what a handler can read of a body; the routes of larger have a bound of their own. The server
// closes the connection of one who sends more.
func BodyLimit(most int64, larger map[string]int64) gin.HandlerFunc {
	return func(c *gin.Context) {
		most := most
		if own, ok := larger[c.FullPath()]; ok {
			most = own
		}
		if c.Request.Body != nil && c.Request.Body != http.NoBody {
			c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, most)
		}
		c.Next()
	}
}
