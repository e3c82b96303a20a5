package auth

import (
	"context"
	"time"

	"banca/internal/clock"
)

// answerStep is the default of Options.AnswerStep: several times what a request for a code and a wrong code take.
const answerStep = 100 * time.Millisecond

// onStep returns when a whole number of Options.AnswerStep has passed since started, or the caller has cancelled. Requests that write
// for a user, and do not write for an unknown name, end with it, so that the time of the answer does not tell them apart.
func (s *Service) onStep(ctx context.Context, started time.Time) {
	step := s.options.AnswerStep
	rest := time.NewTimer(step - clock.System{}.Now().Sub(started)%step)
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-ctx.Done():
	}
}
