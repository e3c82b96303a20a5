package realtime

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Names of events. They are permanent: clients branch on them.
const (
	SessionTerminated = "session.terminated" // the connection is closed after it
	DrawClosed        = "draw.closed"
	ResultPublished   = "result.published"
	TicketUpdated     = "ticket.updated"
	LimitsChanged     = "limits.changed"
	MessageUpdated    = "message.updated"
)

// Event is sent to clients. Data is marshalled to JSON and holds ids and states, just enough for a client to know
// what to read again.
type Event struct {
	Name string    `json:"event"`
	ID   uuid.UUID `json:"id"`
	At   time.Time `json:"at"`
	Data any       `json:"data"`
}

// NewEvent returns an event with a new id. Domains use [EventOf].
func NewEvent(name string, at time.Time, data any) Event {
	return Event{Name: name, ID: uuid.Must(uuid.NewV7()), At: at.UTC(), Data: data}
}

// Audience selects connections; exactly one field is set; Except goes with Path.
type Audience struct {
	Path          string      `json:"path,omitempty"`
	Except        []uuid.UUID `json:"except,omitempty"` // entities whose subtrees are not meant, at most MaxExcept
	Entity        uuid.UUID   `json:"entity,omitzero"`
	DeviceSession uuid.UUID   `json:"device_session,omitzero"`
	UserSession   uuid.UUID   `json:"user_session,omitzero"`
	User          uuid.UUID   `json:"user,omitzero"`
}

// MaxExcept bounds Except, so that a message stays within its bound of bytes.
const MaxExcept = 150

// Includes reports whether the audience of a path includes an entity by its materialised path.
func (a *Audience) Includes(path string) bool {
	return a.Path != "" && strings.HasPrefix(path, a.Path) &&
		!slices.ContainsFunc(a.Except, func(id uuid.UUID) bool { return strings.Contains(path, id.String()+"/") })
}

// Everybody means every connection.
func Everybody() Audience { return Audience{Path: "/"} }

// Below means every connection of the subtree of a materialised path.
func Below(path string) Audience { return Audience{Path: path} }

// Entity means the connections of one entity.
func Entity(id uuid.UUID) Audience { return Audience{Entity: id} }

// DeviceSession means the connection of one device session.
func DeviceSession(id uuid.UUID) Audience { return Audience{DeviceSession: id} }

// UserSession means the connections of one user session.
func UserSession(id uuid.UUID) Audience { return Audience{UserSession: id} }

// User means the connections of one user.
func User(id uuid.UUID) Audience { return Audience{User: id} }

// Publisher publishes the events of a domain: a [Bus], or [Discard].
type Publisher interface {
	Publish(ctx context.Context, to Audience, e Event)
}

// Discard drops all events, for domains that are used without a bus.
type Discard struct{}

// Publish implements Publisher.
func (Discard) Publish(context.Context, Audience, Event) {}
