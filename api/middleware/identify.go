package middleware

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
	"banca/internal/platform/caller"
)

// Authenticator authenticates access tokens and browser cookies, and records that their users are active.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (caller.Caller, error)
	AuthenticateBrowser(ctx context.Context, token string) (caller.Caller, error)
	Touch(by caller.Caller)
}

// Panel is the part of the site for browsers, which are known by a cookie and answered with pages.
type Panel struct {
	Paths   []string        // of the panel, which owns all paths below them; none without a panel
	Login   string          // prefix of the routes that read a body before anyone is logged in
	Assets  string          // prefix of the addresses of its fixed files
	Cookie  string          // that holds the session's token
	TooMany gin.HandlerFunc // the page of a client over its limit
	Busy    gin.HandlerFunc // the page of a file that is refused while too many others are sent
	Missing gin.HandlerFunc // the page of an address without a page

	Pages map[string]gin.HandlerFunc // for browsers, at paths of the API below its base path
}

func (p *Panel) owns(path string) bool {
	return slices.ContainsFunc(p.Paths, func(own string) bool {
		rest, below := strings.CutPrefix(path, own)
		return below && (rest == "" || rest[0] == '/')
	})
}

const bearer = "Bearer "

// Identify authenticates the caller once, for everything after it: the rate limit's client, and [Authorize]. It
// refuses no request. The panel's cookie selects the client to count only: the panel checks it itself, and the API
// takes no cookies. The paths left out are of callers with a token of another kind. The handshake of a WebSocket has
// its token in other places, too.
func Identify(authn Authenticator, panel Panel, leaveOut func(path string) bool, socket Socket) gin.HandlerFunc {
	return func(c *gin.Context) {
		info := callFrom(c.Request.Context())
		switch {
		case leaveOut(info.path):
		case panel.owns(info.path):
			info.browser = identifyBrowser(authn, c.Request, panel.Cookie)
		default:
			token := bearerToken(c.Request)
			if info.path == socket.Path && socket.Token != nil {
				token = socket.Token(c.Request)
			}
			info.identified, info.refused = identify(c.Request.Context(), authn, token)
		}
		c.Next()
	}
}

// Socket is the WebSocket of the API: its path, and the function that reads the access token of a handshake, "" for none.
type Socket struct {
	Path  string
	Token func(r *http.Request) string
}

// bearerToken returns the token of the Authorization header, "" for none.
func bearerToken(r *http.Request) string {
	header := r.Header.Get("Authorization")
	if len(header) <= len(bearer) || !strings.EqualFold(header[:len(bearer)], bearer) {
		return ""
	}
	return header[len(bearer):]
}

func identify(ctx context.Context, authn Authenticator, token string) (*caller.Caller, error) {
	if token == "" {
		return nil, auth.ErrUnauthenticated
	}
	user, err := authn.Authenticate(ctx, token)
	if err != nil {
		return nil, err
	}
	authn.Touch(user)
	return &user, nil
}

// identifyBrowser returns the user of a request's cookie, or nil.
func identifyBrowser(authn Authenticator, r *http.Request, name string) *caller.Caller {
	cookie, err := r.Cookie(name)
	if err != nil {
		return nil
	}
	user, err := authn.AuthenticateBrowser(r.Context(), cookie.Value)
	if err != nil {
		return nil // the panel authenticates again and reports the reason
	}
	authn.Touch(user)
	return &user
}
