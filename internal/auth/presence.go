package auth

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
)

const (
	presenceEvery   = 10 * time.Second
	presenceTimeout = 5 * time.Second // of one batch
	presenceBatch   = 5_000           // sessions: far fewer than a slow database writes within presenceTimeout
	presenceMost    = 50_000          // sessions between two writes; further ones are noted after the next
)

// presence collects which sessions were used, so that users.last_activity_at and user_sessions.last_seen_at cost a
// write every presenceEvery and none in a request.
type presence struct {
	mu   sync.Mutex
	seen map[uuid.UUID]sighting // by session
}

// sighting is the last use of a session.
type sighting struct {
	session, user uuid.UUID
	at            time.Time
}

func newPresence() *presence { return &presence{seen: map[uuid.UUID]sighting{}} }

// note keeps the later of two uses.
func (p *presence) note(s sighting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.seen[s.session]
	if (ok && known.at.After(s.at)) || (!ok && len(p.seen) >= presenceMost) {
		return
	}
	p.seen[s.session] = s
}

// keep notes sightings again that were taken.
func (p *presence) keep(taken []sighting) {
	for _, s := range taken {
		p.note(s)
	}
}

// take hands over everything noted.
func (p *presence) take() []sighting {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := slices.Collect(maps.Values(p.seen))
	p.seen = make(map[uuid.UUID]sighting, len(taken))
	return taken
}

// Touch notes that the caller is active. It never waits for the database: Run writes it.
func (s *Service) Touch(by caller.Caller) {
	s.presence.note(sighting{session: by.SessionID, user: by.UserID, at: s.clock.Now()})
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
			log.WarnContext(
				ctx, "the last activity of users was not written", slog.Any("error", err), slog.Bool("again", running),
			)
		}
		if failing = err != nil; !running {
			return
		}
	}
}

// WritePresence writes recorded activity in batches, and keeps the rest if one fails. Times never go back,
// whichever process writes last.
func (s *Service) WritePresence(ctx context.Context) error {
	var failed error
	for batch := range slices.Chunk(s.presence.take(), presenceBatch) {
		if failed == nil {
			failed = s.writeBatch(ctx, batch)
		}
		if failed != nil {
			s.presence.keep(batch)
		}
	}
	return failed
}

func (s *Service) writeBatch(ctx context.Context, batch []sighting) error {
	ctx, cancel := context.WithTimeout(ctx, presenceTimeout)
	defer cancel()
	return s.writeSightings(ctx, batch)
}
