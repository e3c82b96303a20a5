package bank

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
	"banca/internal/platform/groupcommit"
)

const (
	commitTimeout = 4 * time.Second
	maxAttempts   = 5
)

// groupLimits returns the bounds of group commits. A notification that has waited longer than callTimeout is refused,
// because the bank no longer waits for its answer.
func groupLimits() groupcommit.Limits {
	return groupcommit.Limits{
		GroupFrom: 3, Batchers: 2, BatchSize: 64, QueueSize: 1024, Attempts: maxAttempts,
		BatchTimeout: callTimeout, MaxQueueTime: callTimeout,
	}
}

// newGroup returns the group in which notifications are committed. Equal notifications have the same key, so the same
// batcher commits them.
func (s *Service) newGroup(limits groupcommit.Limits) groupcommit.Committer[*pending] {
	return groupcommit.New(groupcommit.Store[*pending]{
		Name:        "bank",
		Key:         func(p *pending) uuid.UUID { return p.key },
		Write:       s.writeBatch,
		FindOutcome: s.findBatch,
		Finish:      finishBatch,
		Again:       func(p *pending) bool { return p.again },
	}, limits, s.Clock)
}

// commit writes a notification and returns when it is decided.
func (s *Service) commit(ctx context.Context, p *pending) {
	defer s.group.Arrive()()
	if err := s.group.Commit(ctx, p); err != nil {
		p.err = ErrBusy.WithCause(err)
	}
}

// finishBatch sets the errors of decided notifications. If another transaction closed the request of a notification
// first, the notification is decided again, in a batch of its own, with the requests that are still open.
func finishBatch(_ context.Context, batch []*pending, err error) {
	for _, p := range batch {
		switch {
		case err != nil:
			p.err, p.again = apperr.ErrStore.WithCause(err), false
		case p.err != nil:
			p.again = false
		case p.again && p.attempts >= maxAttempts:
			p.err, p.again = ErrBusy, false
		case p.again:
			p.attempts++
		}
	}
}
