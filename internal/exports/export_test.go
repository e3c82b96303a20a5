package exports

import "time"

// SetBeat sets the time between two signs of life of a run.
func (s *Service) SetBeat(every time.Duration) { s.beat = every }
