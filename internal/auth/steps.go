package auth

import (
	"context"
	"time"

	"banca/internal/platform/clock"
)

// answerStep is the default of Options.AnswerStep: several times the duration of a request for a code or of a wrong
// code.
const answerStep = 100 * time.Millisecond

// onStep returns when a whole number of Options.AnswerStep has passed since started, or the caller has cancelled.
// Requests that write for a user, and not for an unknown name, end with it, so that their duration does not reveal
// which name is known.
func (s *Service) onStep(ctx context.Context, started time.Time) {
	step := s.options.AnswerStep
	_ = clock.Sleep(ctx, step-clock.System{}.Now().Sub(started)%step)
}
