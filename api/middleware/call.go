// Package middleware holds the steps of every request before its handler: an id, the access log, recovery from
// panics, headers, a bound of the body, and authentication.
package middleware

import (
	"context"
	"crypto/rand"
	"net/netip"

	"github.com/gin-gonic/gin"

	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/clientaddr"
)

// call is the state of a request. It is put into the context once and filled in later, because each further context
// would copy the request again.
type call struct {
	id         string
	path       string
	language   string         // of the texts in the answer
	from       netip.Addr     // the client's address; invalid on a listener without addresses
	identified *caller.Caller // the user of the token; nil without a valid one
	refused    error          // why the token is invalid
	browser    *caller.Caller // the user of the panel's cookie, for counting only
	authorised *caller.Caller // the identified user, once the gate of the operation let it pass
	agent      string         // program of an authorised caller
}

type callKey struct{}

// Bounds of a request id that a client chose.
const (
	minRequestID = 8
	maxRequestID = 64
)

// Begin gives the request an id, its own if that is valid, and puts it into the answer and the context, with the
// client's address according to the trusted proxies.
func Begin(proxies clientaddr.Proxies) gin.HandlerFunc {
	return func(c *gin.Context) {
		id := c.GetHeader(problem.RequestIDHeader)
		if !saneID(id) {
			id = rand.Text()
		}
		c.Writer.Header()[problem.RequestIDHeader] = []string{id}
		info := &call{
			id: id, path: c.Request.URL.Path, language: problem.Language(c.GetHeader("Accept-Language")),
			from: proxies.Of(c.Request),
		}
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), callKey{}, info))
		c.Next()
	}
}

// saneID accepts what cannot do harm in a log: letters, digits and a few signs between them.
func saneID(id string) bool {
	if len(id) < minRequestID || len(id) > maxRequestID {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

func callFrom(ctx context.Context) *call {
	info, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return &call{}
	}
	return info
}

// RequestID returns the id of the request that a context belongs to, or "".
func RequestID(ctx context.Context) string { return callFrom(ctx).id }

// ClientAddress returns the address of the client that sent the request of a context, or "" if it has none.
func ClientAddress(ctx context.Context) string {
	if from := callFrom(ctx).from; from.IsValid() {
		return from.String()
	}
	return ""
}

// Path returns the path of the request that a context belongs to, without its query.
func Path(ctx context.Context) string { return callFrom(ctx).path }

// Language returns the language of the texts in the answer to the request that a context belongs to.
func Language(ctx context.Context) string { return callFrom(ctx).language }

// WithLanguage returns a context of no request whose texts are in a language.
func WithLanguage(ctx context.Context, language string) context.Context {
	return context.WithValue(ctx, callKey{}, &call{language: language})
}

// Identified returns the user of the request's token in a public operation, without authorisation; ok is false
// without a valid token.
func Identified(ctx context.Context) (by caller.Caller, ok bool) {
	if user := callFrom(ctx).identified; user != nil {
		return *user, true
	}
	return caller.Caller{}, false
}

// Caller returns the user that [Authorize] let pass; its scope is not empty. Errors: auth.ErrUnauthenticated in a
// public operation.
func Caller(ctx context.Context) (caller.Caller, error) {
	if authorised := callFrom(ctx).authorised; authorised != nil {
		return *authorised, nil
	}
	return caller.Caller{}, auth.ErrUnauthenticated
}
