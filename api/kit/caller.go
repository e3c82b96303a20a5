package kit

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
)

// Caller is the user who calls an operation. Scope is the path of the user's entity and is never empty, so that a
// query for its subtree cannot become a query for all entities.
type Caller struct {
	auth.Principal

	Scope string
}

// callerOf returns the caller of a request that passed its gate. Errors: auth.ErrUnauthenticated.
func callerOf(ctx context.Context) (*Caller, error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	return &Caller{Principal: middleware.PrincipalFrom(ctx), Scope: scope}, nil
}

// ID reads the id of a filter, of which huma has checked the format. An empty text means no filter and is uuid.Nil.
func ID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// Day reads the day of a filter, of which huma has checked the format. An empty text means no filter and is the zero time.
func Day(text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}
	}
	return day
}
