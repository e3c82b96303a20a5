package middleware

import (
	"context"

	"github.com/gin-gonic/gin"

	"banca/internal/activity"
	"banca/internal/auth"
)

// Authorize returns a check that a request comes from a user, as [Identify] found, with a permission, or from any
// user without one; it makes [PrincipalFrom], [Scope] and [Actor] available.
func Authorize(permission auth.Permission) func(*gin.Context) error {
	return func(c *gin.Context) error {
		info := callFrom(c.Request.Context())
		switch {
		case info.refused != nil:
			return info.refused
		case info.caller == nil:
			return auth.ErrUnauthenticated
		case permission != "" && !info.caller.May(permission):
			return auth.ErrForbidden
		}
		info.principal = info.caller
		info.agent = c.Request.UserAgent()
		return nil
	}
}

// Actor returns the actor of a request for the activity log.
func Actor(ctx context.Context) activity.Actor {
	info := callFrom(ctx)
	if info.principal == nil {
		return activity.Actor{Address: ClientAddress(ctx), UserAgent: info.agent}
	}
	return info.principal.Actor(auth.Client{Address: ClientAddress(ctx), UserAgent: info.agent})
}
