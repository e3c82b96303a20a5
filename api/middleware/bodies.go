package middleware

import (
	"context"
	"io"
	"math"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"banca/api/problem"
	"banca/internal/platform/apperr"
	"banca/internal/platform/ratelimit"
)

// Bounds of the bodies that are in memory at the same time.
const (
	smallBody       = 64 << 10 // bytes of a body that are not counted: every sale, and every form without a file
	mediumBody      = 1 << 20  // bytes up to which a body does not compete with files
	bodiesTogether  = 64 << 20 // bytes, of medium bodies and again of larger ones
	bodiesOfOne     = bodiesTogether / 3
	bodiesAnonymous = 4 << 20 // bytes of the bodies of requests without an identified user
	bodiesWait      = 3 * time.Second
	bodiesRetry     = 5 * time.Second
)

// ErrBodies refuses a body while too many others arrive or are worked on.
var ErrBodies = apperr.New(apperr.Unavailable, "BUSY", "too many files are being sent at once; nothing was stored").WithRetryAfter(bodiesRetry)

// Bodies bounds the bytes of the bodies of all requests together, in the API and in the panel. A body takes nothing
// from a pool until 64 KiB of it have arrived. Then it takes its declared length; a body of unknown length takes 1
// MiB, and past that the bound of its route. It holds them until the request is answered. Bodies of up to 1 MiB,
// larger ones, and bodies of requests without an identified user have a pool each, and one client has at most a third
// of a pool. A body that does not fit within 3 s is refused with 503 BUSY. A body waits for a pool while it holds
// bytes of a pool of smaller bodies only, so waits form no cycle. Bodies also sets the deadlines of bounds. The paths
// left out bound their bodies themselves. Bodies comes after [Identify].
func Bodies(bounds *BodyBounds, panel Panel, leaveOut func(path string) bool) gin.HandlerFunc {
	medium, large := newBodyPool(bodiesTogether, bodiesOfOne), newBodyPool(bodiesTogether, bodiesOfOne)
	anonymous := newBodyPool(bodiesAnonymous, bodiesAnonymous/3)
	return func(c *gin.Context) {
		info := callFrom(c.Request.Context())
		if !hasBody(c.Request) || leaveOut(info.path) {
			c.Next()
			return
		}
		kind, most := bounds.of(c.FullPath())
		known := info.identified != nil || info.browser != nil
		bounds.setDeadlines(c, kind, known)
		body := &countedBody{
			ReadCloser: c.Request.Body, ctx: c.Request.Context(), client: clientOf(info), free: smallBody,
			arrived: func() { _ = http.NewResponseController(c.Writer).SetReadDeadline(time.Time{}) },
		}
		if known {
			body.steps = stepsOf(c.Request.ContentLength, most, medium, large)
		} else {
			body.steps = stepsOf(c.Request.ContentLength, most, anonymous, anonymous)
		}
		c.Request.Body = body
		defer body.release()
		if body.answer(c); body.refused && !c.Writer.Written() {
			refuseBody(c, &panel)
		}
	}
}

func refuseBody(c *gin.Context, panel *Panel) {
	c.Abort()
	c.Header("Connection", "close") // the rest of the body is not read
	if panel.owns(c.Request.URL.Path) && panel.Busy != nil {
		c.Header("Retry-After", seconds(bodiesRetry))
		panel.Busy(c)
		return
	}
	problem.From(ErrBodies).Write(c.Writer, c.Request)
}

// bodyStep is the number of bytes a body takes from a pool, in place of the earlier ones, to be read up to n bytes.
type bodyStep struct {
	pool *bodyPool
	n    int64
}

// stepsOf returns the steps of a body past its first bytes; declared is negative when its length is unknown.
func stepsOf(declared, most int64, medium, large *bodyPool) []bodyStep {
	n := most
	if declared >= 0 {
		n = min(declared, most)
	}
	switch {
	case n <= smallBody:
		return nil
	case n <= mediumBody+1:
		return []bodyStep{{medium, n}}
	case declared >= 0:
		return []bodyStep{{large, n}}
	default:
		return []bodyStep{{medium, mediumBody}, {large, n}}
	}
}

// countedBody is a body that takes bytes from pools as it is read.
type countedBody struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // of the request that the body belongs to
	client  ratelimit.Client
	free    int64 // bytes that may be read before the next step
	steps   []bodyStep
	held    bodyStep
	refused bool
	arrived func() // called at the end of the body
}

// Read implements io.Reader. Errors: ErrBodies, and errors of the body.
func (b *countedBody) Read(p []byte) (int, error) {
	if b.free == 0 {
		b.step()
	}
	if b.refused {
		return 0, ErrBodies
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.free)])
	b.free -= int64(n)
	if err == io.EOF {
		b.arrived() // the deadline of the body does not end the work on it
	}
	return n, err
}

// Close implements io.Closer. It leaves a refused body to the server, which closes the connection.
func (b *countedBody) Close() error {
	if b.refused {
		return nil
	}
	return b.ReadCloser.Close()
}

// step takes the bytes of the next step and releases the previous ones.
func (b *countedBody) step() {
	if len(b.steps) == 0 {
		b.free = math.MaxInt64 // the bound of the route holds
		return
	}
	next := b.steps[0]
	if b.refused || !next.pool.take(b.ctx, b.client, next.n, bodiesWait) {
		b.refused = true
		return
	}
	b.free = next.n - max(b.held.n, smallBody)
	b.release()
	b.held, b.steps = next, b.steps[1:]
}

func (b *countedBody) release() {
	if b.held.pool != nil {
		b.held.pool.release(b.client, b.held.n)
	}
	b.held = bodyStep{}
}
