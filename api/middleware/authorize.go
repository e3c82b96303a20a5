package middleware

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"banca/internal/auth"
)

// Authenticator tells who sent an access token.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (auth.Principal, error)
}

const bearer = "Bearer "

// Authorize returns a check that a request comes from a user with one of the roles; it puts the user into
// the request's context for [PrincipalFrom] and [Scope].
func Authorize(authn Authenticator, roles []string) func(*http.Request) error {
	return func(r *http.Request) error {
		header := r.Header.Get("Authorization")
		if len(header) <= len(bearer) || !strings.EqualFold(header[:len(bearer)], bearer) {
			return auth.ErrUnauthenticated
		}
		principal, err := authn.Authenticate(r.Context(), header[len(bearer):])
		if err != nil {
			return err
		}
		if !slices.Contains(roles, principal.Role) {
			return auth.ErrForbidden
		}
		callFrom(r.Context()).principal = &principal
		return nil
	}
}
