package bank

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/groupcommit"
)

const (
	commitTimeout = 4 * time.Second
	maxAttempts   = 5
)

// groupLimits bound how notifications share transactions. A notification that waited longer than a call may take is
// refused: the bank no longer waits for it.
func groupLimits() groupcommit.Limits {
	return groupcommit.Limits{
		GroupFrom: 3, Batchers: 2, BatchSize: 64, QueueSize: 1024, Attempts: maxAttempts,
		BatchTimeout: callTimeout, MaxQueueTime: callTimeout,
	}
}

// newGroup returns the group in which notifications are committed. Equal notifications have one key and meet in one batcher.
func (s *Service) newGroup(limits groupcommit.Limits) *groupcommit.Group[*pending] {
	return groupcommit.New(groupcommit.Store[*pending]{
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

// finishBatch stores the errors of decided notifications. A notification that lost its request to another transaction
// is decided again, alone, with the requests that are left.
func finishBatch(_ context.Context, batch []*pending, err error) {
	for _, p := range batch {
		switch {
		case err != nil:
			p.err, p.again = ErrStore.WithCause(err), false
		case p.err != nil:
			p.again = false
		case p.again && p.attempts >= maxAttempts:
			p.err, p.again = ErrBusy, false
		case p.again:
			p.attempts++
		}
	}
}
