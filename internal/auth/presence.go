package auth

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/internal/caller"
)

const (
	presenceEvery   = 10 * time.Second
	presenceTimeout = 5 * time.Second
	presenceMost    = 50_000 // sessions between two writes; further ones are noted after the next
)

// presence collects which sessions were used, so that users.last_activity_at and user_sessions.last_seen_at cost a write
// every presenceEvery and none in a request.
type presence struct {
	mu   sync.Mutex
	seen map[uuid.UUID]sighting // by session
}

// sighting is the last use of a session.
type sighting struct {
	user uuid.UUID
	at   time.Time
}

func newPresence() *presence { return &presence{seen: map[uuid.UUID]sighting{}} }

// note keeps the later of two uses.
func (p *presence) note(session uuid.UUID, s sighting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.seen[session]
	if (ok && known.at.After(s.at)) || (!ok && len(p.seen) >= presenceMost) {
		return
	}
	p.seen[session] = s
}

// take hands over everything noted.
func (p *presence) take() map[uuid.UUID]sighting {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.seen
	p.seen = make(map[uuid.UUID]sighting, len(taken))
	return taken
}

// Touch notes that the caller is active. It never waits for the database: Run writes it.
func (s *Service) Touch(by caller.Caller) {
	s.presence.note(by.SessionID, sighting{user: by.UserID, at: s.clock.Now()})
}

// Run writes recorded activity until ctx ends, and then the rest.
func (s *Service) Run(ctx context.Context, log *slog.Logger) {
	ticks := time.NewTicker(presenceEvery)
	defer ticks.Stop()
	failing := false
	for {
		running := true
		select {
		case <-ctx.Done():
			running = false
		case <-ticks.C:
		}
		err := s.WritePresence(context.WithoutCancel(ctx))
		if err != nil && (!failing || !running) {
			log.WarnContext(ctx, "the last activity of users was not written", slog.Any("error", err), slog.Bool("again", running))
		}
		if failing = err != nil; !running {
			return
		}
	}
}

// WritePresence writes recorded activity, and keeps it if that fails. Times never go back, whichever process writes
// last.
func (s *Service) WritePresence(ctx context.Context) error {
	seen := s.presence.take()
	if len(seen) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, presenceTimeout)
	defer cancel()
	err := s.writeSightings(ctx, seen)
	if err != nil {
		for session, at := range seen {
			s.presence.note(session, at)
		}
	}
	return err
}
