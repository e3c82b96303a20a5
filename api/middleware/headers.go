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
		maps.Copy(c.Writer.Header(), fixed) // the slices are shared: a later Set replaces them
		c.Next()
	}
}
