package activity

import (
	"context"

	"github.com/google/uuid"
)

// Actor is the person who acts. The zero Actor is the service itself: a task, or a command.
type Actor struct {
	UserID    uuid.UUID
	SessionID uuid.UUID
	Name      string
	Address   string
	UserAgent string
}

type actorKey struct{}

// WithActor returns a context in which a acts.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom returns the actor of a context.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
