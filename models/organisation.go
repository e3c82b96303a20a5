package models

import (
	"time"

	"github.com/google/uuid"
)

// Types of entity, highest first; a child is of a lower type than its parent.
const (
	EntityOperator    = "OPERATOR"
	EntitySuperAgency = "SUPER_AGENCY"
	EntityAgency      = "AGENCY"
	EntityGroup       = "GROUP"
	EntityTicketPoint = "TICKET_POINT"
)

// Statuses shared by entities, users, wallets and currencies; each table allows its own subset.
const (
	StatusRegister  = "register"
	StatusActive    = "active"
	StatusSuspended = "suspended"
	StatusInactive  = "inactive"
)

// StatusesAfter returns the statuses that may follow the status of an entity or a game. None is followed by register.
func StatusesAfter(status string) []string {
	switch status {
	case StatusRegister:
		return []string{StatusActive, StatusInactive}
	case StatusActive:
		return []string{StatusSuspended, StatusInactive}
	case StatusSuspended:
		return []string{StatusActive, StatusInactive}
	case StatusInactive:
		return []string{StatusActive}
	default:
		return nil
	}
}

// Ways to log in.
const (
	AuthWhatsApp = "whatsapp" // by a code that is sent, or a password if the user has one
	AuthPassword = "password"
)

// Roles of a user.
const (
	RoleAdmin    = "ADMIN"
	RoleTaquilla = "TAQUILLA"
	RoleSocio    = "SOCIO"
)

// Currency is a row of currencies.
type Currency struct {
	ID        uuid.UUID `gorm:"primaryKey"`
	Code      string
	Name      string
	Symbol    string
	Digits    int
	Status    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Entity is a row of entities: a node of the commercial hierarchy.
type Entity struct {
	ID                uuid.UUID `gorm:"primaryKey"`
	No                int       `gorm:"->"`
	EntityType        string
	Name              string
	Code              string
	ParentID          *uuid.UUID
	Path              string
	PathID            int32 `gorm:"->"` // of the path in entity_paths
	Status            string
	FinanceInfo       []byte `gorm:"type:jsonb;default:'{}'"`
	ConfigInfo        []byte `gorm:"type:jsonb;default:'{}'"`
	LegalInfo         []byte `gorm:"type:jsonb;default:'{}'"`
	ContactInfo       []byte `gorm:"type:jsonb;default:'{}'"`
	LocationInfo      []byte `gorm:"type:jsonb;default:'{}'"`
	PrintInfo         []byte `gorm:"type:jsonb;default:'{}'"`
	SocialInfo        []byte `gorm:"type:jsonb;default:'{}'"`
	MessagingSettings []byte `gorm:"type:jsonb;default:'{}'"`
	DefaultDeviceID   *uuid.UUID
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// Kinds of document.
const (
	DocumentTaxID        = "tax_id"
	DocumentIdentityCard = "identity_card"
	DocumentLocalPhoto   = "local_photo"
	DocumentLogo         = "logo" // printed above receipts
	DocumentOther        = "other"
)

// EntityDocument is a row of entity_documents. Width and height are set for pictures, in pixels.
type EntityDocument struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	EntityID    uuid.UUID
	Kind        string
	Name        string
	ContentType string
	Size        int
	Width       int
	Height      int
	Digest      []byte
	ObjectKey   string
	CreatedBy   uuid.UUID
	CreatedAt   time.Time
}

// DocumentLeftover is a row of document_leftovers: an object of the private bucket that no document names, or that
// one is about to name.
type DocumentLeftover struct {
	ObjectKey string `gorm:"primaryKey"`
	Since     time.Time
}

// User is a row of users. PasswordHash never leaves the auth domain.
type User struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	EntityID       uuid.UUID
	Email          *string
	Phone          *string
	Identifier     *string
	Name           string
	Role           string
	AuthMethod     string
	PasswordHash   string
	Status         string
	LastActivityAt *time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time

	DeletedAt         *time.Time
	PasswordChangedAt *time.Time
	TOTPSecret        []byte     `gorm:"column:totp_secret"` // encrypted; nil for none
	TOTPEnabledAt     *time.Time `gorm:"column:totp_enabled_at"`
	TOTPLastStep      int64      `gorm:"column:totp_last_step"`
}

// UserSession is a row of user_sessions: one family of rotating refresh tokens.
type UserSession struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	UserID      uuid.UUID
	TokenHash   string
	DeviceInfo  []byte `gorm:"type:jsonb;default:'{}'"`
	ExpiresAt   time.Time
	EndedAt     *time.Time
	EndReason   *string
	CreatedAt   time.Time
	RefreshedAt time.Time
	ConfirmedAt *time.Time
	LastSeenAt  *time.Time // at most some seconds old
	EndsAt      *time.Time // the end that a person set; nil while refreshes move it
	Browser     bool       // of LoginBrowser
}
