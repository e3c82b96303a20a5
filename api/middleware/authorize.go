package middleware

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/activity"
	"banca/internal/auth"
)

// Authenticator tells who sent an access token.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (auth.Principal, error)
}

const bearer = "Bearer "

// Authorize returns a check that a request comes from a user with a permission, or from any user for none; it puts the
// user into the request's context for [PrincipalFrom], [Scope] and [Actor].
func Authorize(authn Authenticator, permission auth.Permission) func(*gin.Context) error {
	return func(c *gin.Context) error {
		header := c.Request.Header.Get("Authorization")
		if len(header) <= len(bearer) || !strings.EqualFold(header[:len(bearer)], bearer) {
			return auth.ErrUnauthenticated
		}
		principal, err := authn.Authenticate(c.Request.Context(), header[len(bearer):])
		if err != nil {
			return err
		}
		if permission != "" && !principal.May(permission) {
			return auth.ErrForbidden
		}
		info := callFrom(c.Request.Context())
		info.principal = &principal
		if c.Request.Method != http.MethodGet {
			info.address, info.agent = c.ClientIP(), c.Request.UserAgent()
		}
		return nil
	}
}

// Actor is who acts in a request, for the trail.
func Actor(ctx context.Context) activity.Actor {
	info := callFrom(ctx)
	if info.principal == nil {
		return activity.Actor{Address: info.address, UserAgent: info.agent}
	}
	p := info.principal
	return activity.Actor{UserID: p.UserID, SessionID: p.SessionID, Name: p.Name, Address: info.address, UserAgent: info.agent}
}
