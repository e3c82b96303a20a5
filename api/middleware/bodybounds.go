package middleware

import (
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

// BodyBounds are the bounds of the bodies of all routes, in bytes and in time.
type BodyBounds struct {
	Most    int64            // bytes of a body
	Files   map[string]int64 // bytes by route, for the routes that take a file
	Login   int64            // bytes of a body of a login route
	Logins  []string         // prefixes of the login routes, which read a body without an identified user
	Within  time.Duration    // for a body of a login route to arrive
	Upload  time.Duration    // for a body of a file route to arrive
	Respond time.Duration    // from the end of an upload to the end of its answer
}

// bodyKind is the kind of a route by the body that it takes.
type bodyKind int

const (
	bodyOther bodyKind = iota
	bodyFile
	bodyLogin
)

// of returns the kind of a route and the bytes that its body may have.
func (b *BodyBounds) of(route string) (bodyKind, int64) {
	if own, ok := b.Files[route]; ok {
		return bodyFile, own
	}
	for _, prefix := range b.Logins {
		if strings.HasPrefix(route, prefix) {
			return bodyLogin, b.Login
		}
	}
	return bodyOther, b.Most
}

// setDeadlines bounds the time for a body to arrive where it differs from the server's: it is shorter for a login, and longer
// for a file of an identified user. A server that sets no deadlines keeps none.
func (b *BodyBounds) setDeadlines(c *gin.Context, kind bodyKind, known bool) {
	control, now := http.NewResponseController(c.Writer), time.Now() //nolint:forbidigo // deadlines of connections are of the machine's clock
	switch {
	case kind == bodyLogin:
		_ = control.SetReadDeadline(now.Add(b.Within))
	case kind == bodyFile && known:
		_ = control.SetReadDeadline(now.Add(b.Upload))
		_ = control.SetWriteDeadline(now.Add(b.Upload + b.Respond))
	}
}

// BodyLimit bounds the bytes that a handler can read of a body. The server closes the connection of a client that sends more.
func BodyLimit(bounds *BodyBounds) gin.HandlerFunc {
	return func(c *gin.Context) {
		if hasBody(c.Request) {
			_, most := bounds.of(c.FullPath())
			c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, most)
		}
		c.Next()
	}
}

func hasBody(r *http.Request) bool { return r.Body != nil && r.Body != http.NoBody }
