package connections

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/messaging/channel"
)

// Connection is a connection without its secrets.
type Connection struct {
	ID         uuid.UUID
	EntityID   uuid.UUID
	EntityName string
	Name       string
	Driver     string
	Parameters map[string]string // without secrets
	PerMinute  int               // messages
	State      channel.State
	Reason     string
	Phone      string // E.164, of the linked telephone
	Code       string // to type into the telephone instead of scanning
	LinkUntil  *time.Time
	CheckedAt  time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
	QRVersion  string // another one for each picture; empty without one
}

// HasQR reports whether there is a picture to scan.
func (c *Connection) HasQR() bool { return c.QRVersion != "" }

// Wish is what a connection is made from.
type Wish struct {
	EntityID   uuid.UUID
	Name       string // the driver's when empty
	Driver     string
	Parameters map[string]string
	PerMinute  int // messages; the driver's default when zero
}

// row is a stored connection.
type row struct {
	Connection

	secrets string
}

// split returns the parameters that may be shown, and the secret ones.
func split(described []channel.Parameter, values map[string]string) (public, secret map[string]string) {
	public, secret = map[string]string{}, map[string]string{}
	for _, p := range described {
		value, ok := values[p.Name]
		switch {
		case !ok || value == "":
		case p.Secret:
			secret[p.Name] = value
		default:
			public[p.Name] = value
		}
	}
	return public, secret
}
