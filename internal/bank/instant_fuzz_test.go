package bank

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzParseInstant: an instant of a payment is in the years that the tables take, also in another zone.
func FuzzParseInstant(f *testing.F) {
	for _, text := range []string{
		"", "2026-11-23T10:00:00-04:00", "2026-11-23 10:00", "23/11/2026", "20261123", "0000-01-01", "9999-12-31", "2000-01-01T00:00:00+14:00", "2026-02-30",
	} {
		f.Add(text)
	}
	zone := time.FixedZone("-04", -4*60*60)
	f.Fuzz(func(t *testing.T, text string) {
		at, err := ParseInstant(text, zone)
		if err != nil {
			require.ErrorIs(t, err, ErrField)
			return
		}
		require.GreaterOrEqual(t, at.UTC().Year(), minYear-1)
		require.LessOrEqual(t, at.UTC().Year(), maxYear+1)
	})
}
