package models

import (
	"time"

	"github.com/google/uuid"
)

// Statuses of a device and of a device session, which is never blocked; the others are common to entities.
const (
	StatusBlocked = "blocked"
)

// What happens to a device.
const (
	DeviceRegistered = "registered"
	DeviceRenamed    = "renamed"
	DeviceValidated  = "validated"
	DeviceMismatch   = "fingerprint_mismatch"
	DeviceStatus     = "status"
	DeviceSessionPut = "session_status"
)

// Device is a row of devices. The two hashes never leave the devices domain.
type Device struct {
	ID              uuid.UUID `gorm:"primaryKey"`
	EntityID        uuid.UUID
	Name            string
	FingerprintHash []byte
	KeyHash         []byte
	Status          string
	Info            []byte `gorm:"type:jsonb;default:'{}'"`
	CreatedBy       uuid.UUID
	CreatedAt       time.Time
	UpdatedAt       time.Time
	StatusAt        time.Time
}

// DeviceSession is a row of device_sessions: a device in the hands of a user.
type DeviceSession struct {
	ID            uuid.UUID `gorm:"primaryKey"`
	DeviceID      uuid.UUID
	UserID        uuid.UUID
	UserSessionID uuid.UUID
	Status        string
	HeldByDevice  bool
	ConnectionID  *uuid.UUID
	ConnectionNo  int64
	ConnectedAt   *time.Time
	LastSeenAt    time.Time
	OnlineUntil   time.Time
	CreatedAt     time.Time
	EndedAt       *time.Time
	EndReason     *string
}

// DeviceEvent is a row of device_events.
type DeviceEvent struct {
	ID        uuid.UUID `gorm:"primaryKey"`
	DeviceID  uuid.UUID
	Kind      string
	SessionID *uuid.UUID
	UserID    *uuid.UUID
	Note      string
	At        time.Time
}
