package models

import (
	"time"

	"github.com/google/uuid"
)

// Outbox is a row of outbox: a committed task on its way to the queue.
type Outbox struct {
	ID        uuid.UUID `gorm:"primaryKey"`
	Kind      string
	Payload   []byte `gorm:"type:jsonb"`
	ProcessAt *time.Time
	Attempts  int16
	RetryAt   *time.Time
	LastError *string
	CreatedAt time.Time
	Trace     *string // traceparent; see docs/operations.md
}

// TableName keeps the table's singular name.
func (Outbox) TableName() string { return "outbox" }
