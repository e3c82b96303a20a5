package middleware

import (
	"context"

	"github.com/gin-gonic/gin"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/caller"
)

// Authorize returns a check that a request comes from a user, as [Identify] found, with a permission, or from any
// user without one; it makes [Caller] and [Actor] available.
func Authorize(permission auth.Permission) func(*gin.Context) error {
	return func(c *gin.Context) error {
		info := callFrom(c.Request.Context())
		switch {
		case info.refused != nil:
			return info.refused
		case info.identified == nil || info.identified.Scope.IsZero():
			return auth.ErrUnauthenticated
		case permission != "" && !info.identified.May(permission):
			return auth.ErrForbidden
		}
		info.authorised = info.identified
		info.agent = c.Request.UserAgent()
		return nil
	}
}

// Actor returns the actor of a request for the activity log.
func Actor(ctx context.Context) activity.Actor {
	info := callFrom(ctx)
	from := auth.Client{Address: ClientAddress(ctx), UserAgent: info.agent}
	if info.authorised == nil {
		return from.Actor(caller.Caller{})
	}
	return from.Actor(*info.authorised)
}
