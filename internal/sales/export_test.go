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

// Serial codes, for tests of their properties.
var (
	NewSerial         = newSerial
	NewValidationCode = newValidationCode
)

// SerialAlphabet is what serial codes are written in.
const SerialAlphabet = serialAlphabet
