package middleware

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// answer runs the following handlers. Their answer after the body was refused is dropped: they see an unreadable body
// without a reason.
func (b *countedBody) answer(c *gin.Context) {
	w := c.Writer
	defer func() { c.Writer = w }()
	c.Writer = &bodyWriter{ResponseWriter: w, body: b, dropped: http.Header{}}
	c.Next()
}

// bodyWriter is the writer of a request whose body may be refused while a handler reads it.
type bodyWriter struct {
	gin.ResponseWriter
	body    *countedBody
	dropped http.Header
}

func (w *bodyWriter) drops() bool { return w.body.refused && !w.Written() }

// Unwrap lets http.ResponseController reach the connection.
func (w *bodyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Header implements http.ResponseWriter.
func (w *bodyWriter) Header() http.Header {
	if w.drops() {
		return w.dropped
	}
	return w.ResponseWriter.Header()
}

// WriteHeader implements http.ResponseWriter.
func (w *bodyWriter) WriteHeader(status int) {
	if !w.drops() {
		w.ResponseWriter.WriteHeader(status)
	}
}

// WriteHeaderNow implements gin.ResponseWriter.
func (w *bodyWriter) WriteHeaderNow() {
	if !w.drops() {
		w.ResponseWriter.WriteHeaderNow()
	}
}

// Write implements http.ResponseWriter.
func (w *bodyWriter) Write(p []byte) (int, error) {
	if w.drops() {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// WriteString implements io.StringWriter.
func (w *bodyWriter) WriteString(s string) (int, error) {
	if w.drops() {
		return len(s), nil
	}
	return w.ResponseWriter.WriteString(s)
}

// Flush implements http.Flusher.
func (w *bodyWriter) Flush() {
	if !w.drops() {
		w.ResponseWriter.Flush()
	}
}
