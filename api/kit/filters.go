package kit

import (
	"time"

	"github.com/google/uuid"
)

// ID reads the id of a filter, of which huma has checked the format. An empty text means no filter and is uuid.Nil.
func ID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// Day reads the day of a filter, of which huma has checked the format. An empty text means no filter and is the zero time.
func Day(text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}
	}
	return day
}
