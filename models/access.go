package models

import (
	"time"

	"github.com/google/uuid"
)

// UserPermission is a row of user_permissions: a permission granted to a user, or denied.
type UserPermission struct {
	UserID     uuid.UUID `gorm:"primaryKey"`
	Permission string    `gorm:"primaryKey"`
	Granted    bool
}

// OneTimeCode is a row of one_time_codes. The code itself is stored nowhere.
type OneTimeCode struct {
	UserID    uuid.UUID `gorm:"primaryKey"`
	MessageID uuid.UUID
	ExpiresAt time.Time
	Failures  int
	SentAt    time.Time
	AskedBy   string // key of the count of the source that requested it
}

// AccountCredential is a row of account_credentials: GivenBy may know the credentials of the user.
type AccountCredential struct {
	UserID  uuid.UUID
	GivenBy uuid.UUID
	GivenAt time.Time
}
