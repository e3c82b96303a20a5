package kit

import "time"

// maxCountdown bounds the time that is counted down. A later instant is shown as a date and a time.
const maxCountdown = 24 * time.Hour

// Countdown is the time left until an instant, such as the sale stop of a draw. Its script counts from the server's
// clock. Without scripts the instant is shown.
type Countdown struct {
	Moment

	Text      string // the instant, or Expired if it has passed
	Expired   string // text that is shown from the instant on
	Remaining int64  // in milliseconds; 0 if the instant has passed, is zero, or is more than maxCountdown away
}

// Countdown returns the time left until an instant. The zero instant shows a dash.
func (v *View) Countdown(at time.Time) *Countdown {
	c := &Countdown{Text: v.Clock(at), Expired: v.T("countdown.over"), Moment: v.Time(at)}
	switch left := at.Sub(v.now); {
	case at.IsZero():
		c.Text = "—"
	case left <= 0:
		c.Text = c.Expired
	case left <= maxCountdown:
		c.Remaining = max(left.Milliseconds(), 1)
	}
	return c
}

// CountdownCell returns a cell with the time left until an instant.
func (v *View) CountdownCell(at time.Time) Cell { return v.part("countdown", v.Countdown(at)) }
