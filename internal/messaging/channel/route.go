package channel

import "github.com/google/uuid"

// Route is where the messages of an entity go, and how fast.
type Route struct {
	Channel   Channel
	PerMinute int // messages of the channel; zero for no limit
}

// Found is the route of an entity, or the error of an entity that has none now.
type Found struct {
	Route

	Err error
}

// Change is the new state of the account of a connection.
type Change struct {
	ChannelID uuid.UUID
	State     State
	EntityID  uuid.UUID // of the connection
	Reason    string
}
