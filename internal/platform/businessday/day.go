// Package businessday has the calendar days by which the business counts draws, cancellations, reports and
// closes. A day is a date without a time; which instants it holds depends on a time zone.
package businessday

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// ErrFormat reports a text that is not a date.
var ErrFormat = errors.New("expected a date such as 2026-11-22")

// Day is a date. The zero Day is not a date. Days are comparable by == and are keys of maps.
type Day struct { //nolint:recvcheck // a value but for Scan, which needs a pointer
	year  int
	month time.Month
	day   int
}

// Of returns the day of an instant in a time zone.
func Of(at time.Time, zone *time.Location) Day {
	return date(at.In(zone))
}

// Date returns a day by its numbers, normalised as time.Date normalises them.
func Date(year int, month time.Month, day int) Day {
	return date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// Parse reads the form 2006-01-02. It returns the zero Day with an error. Errors: ErrFormat.
func Parse(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return Day{}, ErrFormat
	}
	return date(at), nil
}

func date(at time.Time) Day {
	y, m, d := at.Date()
	return Day{year: y, month: m, day: d}
}

// IsZero reports whether d is the zero Day.
func (d Day) IsZero() bool { return d == Day{} }

// String returns the form 2006-01-02, or "" for the zero Day.
func (d Day) String() string { return d.Format(time.DateOnly) }

// Format returns d in a layout of package time, or "" for the zero Day.
func (d Day) Format(layout string) string {
	if d.IsZero() {
		return ""
	}
	return d.UTC().Format(layout)
}

// UTC returns the midnight in UTC with which d begins, the form in which DATE columns are read and written.
func (d Day) UTC() time.Time { return d.At(0, 0, time.UTC) }

// At returns the instant of a time of day in a zone. A time that a change of the clocks leaves out is the one that
// time.Date makes of it.
func (d Day) At(hour, minute int, zone *time.Location) time.Time {
	return time.Date(d.year, d.month, d.day, hour, minute, 0, 0, zone)
}

// Bounds returns the instants in a zone at which d begins and at which the day after it begins: from <= t < to.
func (d Day) Bounds(zone *time.Location) (from, to time.Time) {
	return d.begin(zone), d.AddDays(1).begin(zone)
}

// begin returns the first instant of d, or of the day after it if the zone left d out. A change of the clocks may
// leave midnight out, for which time.Date answers an instant of the day before, or repeat it.
func (d Day) begin(zone *time.Location) time.Time {
	midnight := d.At(0, 0, zone)
	start, end := midnight.ZoneBounds()
	switch day := Of(midnight, zone); {
	case day.Before(d):
		return end
	case day.After(d):
		return start
	case Of(midnight.Add(-1), zone) == d:
		_, before := start.Add(-1).Zone()
		_, after := midnight.Zone()
		return midnight.Add(time.Duration(after-before) * time.Second)
	}
	return midnight
}

// AddDays returns the day n days later, earlier if n is negative.
func (d Day) AddDays(n int) Day { return Date(d.year, d.month, d.day+n) }

// AddMonths returns the same day n months later, normalised as time.Date normalises it.
func (d Day) AddMonths(n int) Day { return Date(d.year, d.month+time.Month(n), d.day) }

// FirstOfMonth returns the first day of d's month.
func (d Day) FirstOfMonth() Day { return Date(d.year, d.month, 1) }

// Weekday returns the day of the week.
func (d Day) Weekday() time.Weekday { return d.UTC().Weekday() }

// Compare returns -1 if d is before e, 0 if they are equal and 1 if d is after e.
func (d Day) Compare(e Day) int { return d.UTC().Compare(e.UTC()) }

// Before reports whether d is before e.
func (d Day) Before(e Day) bool { return d.Compare(e) < 0 }

// After reports whether d is after e.
func (d Day) After(e Day) bool { return d.Compare(e) > 0 }

// DaysUntil returns the number of days from d to e, negative if e is before d.
func (d Day) DaysUntil(e Day) int { return int(e.UTC().Sub(d.UTC()) / (24 * time.Hour)) }

// MarshalText writes the form 2006-01-02.
func (d Day) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the form 2006-01-02; an empty text is the zero Day. Errors: ErrFormat.
func (d *Day) UnmarshalText(text []byte) (err error) {
	*d = Day{}
	if len(text) > 0 {
		*d, err = Parse(string(text))
	}
	return err
}

// Value implements driver.Valuer: a DATE, NULL for the zero Day.
func (d Day) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil //nolint:nilnil // NULL
	}
	return d.UTC(), nil
}

// Scan implements sql.Scanner: a DATE; the zero Day for NULL.
func (d *Day) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*d = Day{}
	case time.Time:
		*d = date(v)
	case string:
		return d.UnmarshalText([]byte(v))
	default:
		return fmt.Errorf("businessday: cannot scan %T", value)
	}
	return nil
}
