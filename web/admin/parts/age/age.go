// Package age formats how long something took or how long ago it was.
package age

import (
	"fmt"
	"time"

	"banca/web/kit"
)

const day = 24 * time.Hour

// Text formats a duration in its largest unit, and the next one for hours. A negative duration is zero.
func Text(v *kit.View, d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d/time.Minute))
	case d < day:
		return fmt.Sprintf("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
	default:
		return v.N("health.days", int64(d/day))
	}
}
