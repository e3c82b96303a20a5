package kit

import "time"

// maxCountdown is the longest time that is counted; an instant further away is shown as it is.
const maxCountdown = 24 * time.Hour

// Countdown is the time left until an instant, such as the sale stop of a draw. Its script counts from the server's
// clock; without scripts the instant itself is shown.
type Countdown struct {
	Moment

	At   string // the instant as people say it, or that it is over
	Over string // said from the instant on
	Left int64  // in milliseconds; 0 for an instant that is over, missing or too far away
}

// Countdown returns the time left until an instant; the zero instant is a missing value.
func (v *View) Countdown(at time.Time) *Countdown {
	c := &Countdown{At: v.Clock(at), Over: v.T("countdown.over"), Moment: v.Time(at)}
	switch left := at.Sub(v.now); {
	case at.IsZero():
		c.At = "—"
	case left <= 0:
		c.At = c.Over
	case left <= maxCountdown:
		c.Left = max(left.Milliseconds(), 1)
	}
	return c
}
