package middleware

import (
	"cmp"
	"net/http"

	"github.com/gin-gonic/gin"

	"banca/internal/platform/clock"
	"banca/internal/platform/requestlog"
)

// RequestLog records every request in memory, but for the paths left out. Values of the parameters named in secret are not recorded.
func RequestLog(recorder *requestlog.Recorder, clk clock.Clock, leaveOut func(path string) bool, secret func(parameter string) bool) gin.HandlerFunc {
	return func(c *gin.Context) {
		path := c.Request.URL.Path
		if leaveOut(path) {
			c.Next()
			return
		}
		begin := clk.Now()
		c.Next()
		var parameters []requestlog.Parameter
		for _, p := range c.Params {
			parameters = append(parameters, requestlog.Parameter{Name: p.Key, Value: p.Value})
		}
		info := callFrom(c.Request.Context())
		e := requestlog.Entry{
			At: begin, Method: methodOf(c.Request.Method), Path: requestlog.Path(c.FullPath(), path, parameters, secret), Route: routeOf(c), Status: c.Writer.Status(),
			Took: clk.Now().Sub(begin), Address: info.from,
		}
		if by := cmp.Or(info.identified, info.browser); by != nil {
			e.UserID = by.UserID
		}
		recorder.Record(&e)
	}
}

// methodOf replaces a method that a client has invented: recent requests are shown to everybody.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	default:
		return "OTHER"
	}
}
