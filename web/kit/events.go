package kit

import "time"

// beatEvery is the time between two signs of life of a quiet stream, at which its session is checked again.
const beatEvery = 15 * time.Second

// Events sends names as events without data until the session or the right to open the page ends, or the process does. A browser connects again after ten
// minutes, and reads then what may have been lost meanwhile.
func (r *Request) Events(names <-chan string) error {
	free, ok := r.site.listeners.Take(r.Caller.UserID)
	if !ok {
		return errSaturated
	}
	defer free()
	end, beat := time.NewTimer(maxStreamTime), time.NewTicker(beatEvery)
	defer end.Stop()
	defer beat.Stop()
	out := r.Stream()
	var err error
	for err == nil {
		select {
		case <-r.Context().Done():
			return nil
		case <-r.site.closing:
			return nil
		case <-end.C:
			return nil
		case name := <-names:
			err = out.Send("", name, "{}")
		case <-beat.C:
			if err = r.mayGoOn(); err == nil {
				err = out.Beat()
			}
		}
	}
	return nil // the answer has begun: the end of the stream is all that a browser can be told
}
