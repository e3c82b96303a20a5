package bank

import "time"

// maxInstant bounds the text of FechaHora.
const maxInstant = 40

// ParseInstant parses FechaHora in the formats that banks use. Without an offset the time is in zone. Errors: ErrField.
func ParseInstant(text string, zone *time.Location) (time.Time, error) {
	if len(text) > maxInstant {
		return time.Time{}, ErrField
	}
	for _, layout := range [...]string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly,
		"02/01/2006 15:04:05", "02/01/2006 15:04", "02/01/2006", "02-01-2006 15:04:05", "02-01-2006",
		"20060102150405", "20060102 150405", "20060102",
	} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			if at.Year() < minYear || at.Year() > maxYear {
				return time.Time{}, ErrField
			}
			return at, nil
		}
	}
	return time.Time{}, ErrField
}

// Bounds of the year of a payment.
const (
	minYear = 2000
	maxYear = 2199
)
