package kit

import "time"

// beatEvery is the time between two signs of life of a quiet stream, at which its session is checked again.
const beatEvery = 15 * time.Second

// Events sends names as events without data until the session or the right to open the page ends, or the process does. A browser connects again after ten
// minutes, and reads then what may have been lost meanwhile.
func (r *Request) Events(names <-chan string) error {
	free, err := take(r.site.listeners)
	if err != nil {
		return err
	}
	defer free()
	end, beat := time.NewTimer(maxStreamTime), time.NewTicker(beatEvery)
	defer end.Stop()
	defer beat.Stop()
	out := r.Stream()
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

// take counts a stream among those of its kind until free is called. It refuses one while all are in use.
func take(streams chan struct{}) (free func(), err error) {
	select {
	case streams <- struct{}{}:
		return func() { <-streams }, nil
	default:
		return nil, errSaturated
	}
}
