package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Schedule is the decoded schedule_config of a game. Times are local to TimeZone; Weekdays count from
// Sunday as 0 and an empty list means every day; Holidays are local dates without draws.
type Schedule struct {
	Times    []string `json:"times"`
	Weekdays []int    `json:"weekdays,omitempty"`
	Holidays []string `json:"holidays,omitempty"`
	TimeZone string   `json:"time_zone,omitempty"`
}

// Slot is one planned draw: its number on its local day and its instant.
type Slot struct {
	Number string
	Date   time.Time // midnight UTC of the local date
	At     time.Time
}

// Day lists the slots of one local date, in order. fallback is the zone when the schedule names none.
func (s Schedule) Day(date time.Time, fallback *time.Location) ([]Slot, error) {
	if len(s.Weekdays) > 0 && !slices.Contains(s.Weekdays, int(date.Weekday())) {
		return nil, nil
	}
	if slices.Contains(s.Holidays, date.Format(time.DateOnly)) {
		return nil, nil
	}
	zone := fallback
	if s.TimeZone != "" {
		var err error
		if zone, err = time.LoadLocation(s.TimeZone); err != nil {
			return nil, fmt.Errorf("schedule_config.time_zone: %w", err)
		}
	}
	slots := make([]Slot, 0, len(s.Times))
	for i, text := range s.Times {
		clock, err := time.Parse("15:04", text)
		if err != nil {
			return nil, fmt.Errorf("schedule_config.times[%d]: %w", i, err)
		}
		at := time.Date(date.Year(), date.Month(), date.Day(), clock.Hour(), clock.Minute(), 0, 0, zone)
		slots = append(slots, Slot{Number: strconv.Itoa(i + 1), Date: date, At: at.UTC()})
	}
	return slots, nil
}
