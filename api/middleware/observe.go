package middleware

import (
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"banca/internal/platform/telemetry"
)

// Observe counts and times every request by its route, and continues the trace of its traceparent header. Labels are
// the application's routes and methods, so a client cannot invent labels.
func Observe() gin.HandlerFunc {
	return func(c *gin.Context) {
		route, method := routeOf(c), c.Request.Method
		if route == unmatched {
			method = http.MethodGet
		}
		ctx, stage := telemetry.BeginRequest(c.Request.Context(), method, route, c.Request.Header)
		if ctx != c.Request.Context() {
			c.Request = c.Request.WithContext(ctx)
		}
		c.Next()
		status := strconv.Itoa(c.Writer.Status())
		stage.Note("status", status)
		stage.End(nil)
		telemetry.RequestsTotal.Add(1, method, route, status)
	}
}

// routeOf returns the pattern that the path of a request matched.
func routeOf(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return unmatched
}
