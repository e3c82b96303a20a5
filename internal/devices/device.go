package devices

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"banca/models"
)

// Device is a device as answers show it: without the hashes of its fingerprint and key.
type Device struct {
	ID        uuid.UUID
	EntityID  uuid.UUID
	Name      string
	Status    string
	Info      json.RawMessage // as sent at registration, an object
	Online    bool
	SessionID uuid.UUID // the session that has not ended; Nil for none
	LastSeen  time.Time // of its last session; zero for never
	CreatedBy uuid.UUID
	CreatedAt time.Time
	UpdatedAt time.Time
	StatusAt  time.Time // since when it has its status
}

// Session is a session of a device.
type Session struct {
	ID            uuid.UUID
	DeviceID      uuid.UUID
	DeviceName    string
	EntityID      uuid.UUID
	UserID        uuid.UUID
	UserName      string
	UserSessionID uuid.UUID
	Status        string
	Online        bool
	ConnectionID  uuid.UUID // Nil when it is not connected
	ConnectedAt   time.Time // of the last connection; zero for never
	LastSeen      time.Time
	CreatedAt     time.Time
	EndedAt       time.Time // zero while it is not over
	EndReason     string
}

// Place is an entity as a device's session names it.
type Place struct {
	ID     uuid.UUID
	Type   string
	Name   string
	Code   string
	Status string
	Path   string
	Parent *Place // nil for the root, and on a parent
}

// Validated is the answer to a validation: the session with its whole device and where it stands.
type Validated struct {
	Session Session
	Device  Device
	Entity  Place
}

// Event is something that happened to a device.
type Event struct {
	ID        uuid.UUID
	Kind      string
	SessionID uuid.UUID
	UserID    uuid.UUID
	UserName  string
	Note      string
	At        time.Time
}

// deviceRow is a device with the state of its sessions.
type deviceRow struct {
	models.Device

	SessionID   *uuid.UUID
	OnlineUntil *time.Time
	LastSeenAt  *time.Time
	Live        bool
}

func (r *deviceRow) device(now time.Time) Device {
	d := Device{
		ID: r.ID, EntityID: r.EntityID, Name: r.Name, Status: r.Status, Info: r.Info, CreatedBy: r.CreatedBy,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), StatusAt: r.StatusAt.UTC(),
	}
	if r.SessionID != nil && r.Live {
		d.SessionID = *r.SessionID
		d.Online = r.OnlineUntil != nil && r.OnlineUntil.After(now)
	}
	d.LastSeen = models.Instant(r.LastSeenAt)
	return d
}

// sessionRow is a session with whose it is.
type sessionRow struct {
	models.DeviceSession

	DeviceName string
	EntityID   uuid.UUID
	UserName   string
}

func (r *sessionRow) session(now time.Time) Session {
	s := Session{
		ID: r.ID, DeviceID: r.DeviceID, DeviceName: r.DeviceName, EntityID: r.EntityID, UserID: r.UserID,
		UserName:      r.UserName,
		UserSessionID: r.UserSessionID, Status: r.Status,
		Online:      r.Status == models.StatusActive && r.OnlineUntil.After(now),
		ConnectedAt: models.Instant(r.ConnectedAt), LastSeen: r.LastSeenAt.UTC(), CreatedAt: r.CreatedAt.UTC(),
		EndedAt: models.Instant(r.EndedAt),
	}
	if r.ConnectionID != nil && s.Online {
		s.ConnectionID = *r.ConnectionID
	}
	if r.EndReason != nil {
		s.EndReason = *r.EndReason
	}
	return s
}
