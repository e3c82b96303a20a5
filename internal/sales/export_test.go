package sales

// FillQueues makes the committer look busy: every sale goes to a queue, and every queue is full.
func (s *Service) FillQueues() {
	s.committer.inFlight.Add(groupFrom)
	for i := range s.committer.queues {
		for range queueLimit {
			s.committer.queues[i] <- nil
		}
	}
}

// SerialAlphabet is what serial codes are written in.
const SerialAlphabet = serialAlphabet

// NewSerial returns a fresh serial code.
func NewSerial() string { return newSerial() }

// NewValidationCode returns a fresh validation code.
func NewValidationCode() string { return newValidationCode() }
