package middleware

import (
	"log/slog"

	"github.com/gin-gonic/gin"

	"banca/internal/platform/clock"
)

// unmatched is the route of a request without one, whose path may hold anything.
const unmatched = "(none)"

// AccessLog writes one line per request at info level, with the route and not the path, so that neither ids nor
// queries get into the log; never a header or a body.
func AccessLog(log *slog.Logger, clk clock.Clock) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx := c.Request.Context()
		if !log.Enabled(ctx, slog.LevelInfo) {
			c.Next()
			return
		}
		begin := clk.Now()
		c.Next()
		log.LogAttrs(ctx, slog.LevelInfo, "request",
			slog.String("method", c.Request.Method),
			slog.String("route", routeOf(c)),
			slog.Int("status", c.Writer.Status()),
			slog.Duration("took", clk.Now().Sub(begin)),
			slog.String("request_id", RequestID(ctx)),
		)
	}
}
