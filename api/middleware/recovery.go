package middleware

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"

	"banca/api/problem"
)

// Recovery turns a panic into a 500 and one line in the log.
func Recovery(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			if err, is := value.(error); is && errors.Is(err, http.ErrAbortHandler) {
				panic(value) // the server's own way to drop a connection
			}
			ctx := c.Request.Context()
			log.LogAttrs(ctx, slog.LevelError, "panic",
				slog.Any("value", value), slog.String("request_id", RequestID(ctx)), slog.String("stack", string(debug.Stack())))
			c.Abort()
			if !c.Writer.Written() {
				problem.New(http.StatusInternalServerError, "INTERNAL", "").Write(c.Writer, c.Request)
			}
		}()
		c.Next()
	}
}
