package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"banca/internal/platform/businessday"
)

// Schedule is the decoded schedule_config of a game. Times are local to TimeZone; Weekdays count from
// Sunday as 0 and an empty list means every day; Holidays are local dates without draws. OpenHoursBefore
// is how long before its time a draw is put on sale; 0 means from when it is generated.
type Schedule struct {
	Times           []DrawTime `json:"times"`
	Weekdays        []int      `json:"weekdays,omitempty"`
	Holidays        []string   `json:"holidays,omitempty"`
	TimeZone        string     `json:"time_zone,omitempty"`
	OpenHoursBefore int        `json:"open_hours_before,omitempty"`
}

// DrawTime is a local time of day, HH:MM, and the number of the draw then; without one a draw is numbered by its place.
type DrawTime struct {
	Time   string
	Number string
}

// timedDraw is a DrawTime as an object in JSON.
type timedDraw struct {
	Time   string `json:"time"`
	Number string `json:"number"`
}

// UnmarshalJSON reads "08:00" or {"time":"08:00","number":"A1"}.
func (d *DrawTime) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		*d = DrawTime{}
		return json.Unmarshal(raw, &d.Time)
	}
	var long timedDraw
	if err := json.Unmarshal(raw, &long); err != nil {
		return err
	}
	*d = DrawTime(long)
	return nil
}

// MarshalJSON writes the short form where there is no number.
func (d DrawTime) MarshalJSON() ([]byte, error) {
	if d.Number == "" {
		return json.Marshal(d.Time)
	}
	return json.Marshal(timedDraw(d))
}

// At lists draw times without numbers of their own.
func At(times ...string) []DrawTime {
	list := make([]DrawTime, len(times))
	for i, t := range times {
		list[i] = DrawTime{Time: t}
	}
	return list
}

// Slot is one planned draw: its number on its local day and its instant.
type Slot struct {
	Number  string
	Date    businessday.Day
	At      time.Time
	OpensAt time.Time // zero: at once
}

// Zone is the time zone of the schedule's times; fallback is the one when it names none.
func (s *Schedule) Zone(fallback *time.Location) (*time.Location, error) {
	if s.TimeZone == "" {
		return fallback, nil
	}
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("schedule_config.time_zone: %w", err)
	}
	return zone, nil
}

// PerWeek is how many draws a week without holidays has.
func (s *Schedule) PerWeek() int {
	days := len(s.Weekdays)
	if days == 0 {
		days = 7
	}
	return days * len(s.Times)
}

// Day lists the slots of one local date, in order. fallback is the zone when the schedule names none. A local time
// that the change to summer time leaves out is the one an hour before.
func (s *Schedule) Day(date businessday.Day, fallback *time.Location) ([]Slot, error) {
	if len(s.Weekdays) > 0 && !slices.Contains(s.Weekdays, int(date.Weekday())) {
		return nil, nil
	}
	if slices.Contains(s.Holidays, date.String()) {
		return nil, nil
	}
	zone, err := s.Zone(fallback)
	if err != nil {
		return nil, err
	}
	slots := make([]Slot, 0, len(s.Times))
	for i, t := range s.Times {
		clock, err := time.Parse("15:04", t.Time)
		if err != nil {
			return nil, fmt.Errorf("schedule_config.times[%d]: %w", i, err)
		}
		at := date.At(clock.Hour(), clock.Minute(), zone)
		slot := Slot{Number: t.Number, Date: date, At: at.UTC()}
		if slot.Number == "" {
			slot.Number = strconv.Itoa(i + 1)
		}
		if s.OpenHoursBefore > 0 {
			slot.OpensAt = slot.At.Add(-time.Duration(s.OpenHoursBefore) * time.Hour)
		}
		slots = append(slots, slot)
	}
	return slots, nil
}
