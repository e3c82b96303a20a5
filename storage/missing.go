package storage

import (
	"time"

	"github.com/google/uuid"
)

// Maybe is an id as a parameter: Nil is NULL.
func Maybe(id uuid.UUID) uuid.NullUUID { return uuid.NullUUID{UUID: id, Valid: id != uuid.Nil} }

// Instant is a column that may be NULL, in UTC: the zero time where it is.
func Instant(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
