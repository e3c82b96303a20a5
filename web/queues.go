package web

import "github.com/gin-gonic/gin"

// queuesPolicy is for the view of the queues, a program of others with scripts in its page. It may talk
// to this server only; the fonts it wants from elsewhere are left out.
const queuesPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// queues hands a request on. It comes after signedIn and admin, and after begin, which has refused
// what other sites send: the view itself checks nothing.
func (w *Web) queues(c *gin.Context) {
	c.Header("Content-Security-Policy", queuesPolicy)
	w.deps.Queues.ServeHTTP(c.Writer, c.Request)
}
