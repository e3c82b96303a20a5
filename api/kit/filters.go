package kit

import (
	"github.com/google/uuid"

	"banca/internal/platform/businessday"
)

// ID reads the id of a filter, of which huma has checked the format. An empty text means no filter and is uuid.Nil.
func ID(text string) uuid.UUID {
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil
	}
	return id
}

// Day reads the day of a filter, of which huma has checked the format. An empty text means no filter and is the zero Day.
func Day(text string) businessday.Day {
	day, _ := businessday.Parse(text) // as documented
	return day
}
