package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/activity"
	"banca/internal/platform/cache"
	"banca/internal/platform/caller"
)

// How long a session may be served from memory: it is reloaded in the background after sessionRefresh
// and never used after sessionExpiry, so an end, a suspension or a new role reaches every process soon.
const (
	sessionRefresh   = time.Second
	sessionExpiry    = 5 * time.Second
	sessionCacheSize = 50_000
)

// Actor returns the caller as the activity log records it.
func (from Client) Actor(by caller.Caller) activity.Actor {
	return activity.Actor{UserID: by.UserID, SessionID: by.SessionID, Name: by.Name, Address: from.Address, UserAgent: from.UserAgent}
}

// session is a live session as the cache holds it.
type session struct {
	caller.Caller
	tokenHash string
}

type sessionCache = cache.Cache[uuid.UUID, session]

func newSessionCache() sessionCache {
	return cache.New(&otter.Options[uuid.UUID, session]{
		MaximumSize:       sessionCacheSize,
		ExpiryCalculator:  otter.ExpiryWriting[uuid.UUID, session](sessionExpiry),
		RefreshCalculator: otter.RefreshWriting[uuid.UUID, session](sessionRefresh),
	})
}

// Authenticate returns the caller of an access token. It takes about a microsecond for a cached token and session.
// Errors: ErrUnauthenticated, ErrTokenExpired.
func (s *Service) Authenticate(ctx context.Context, token string) (caller.Caller, error) {
	g, err := s.access.verify(token)
	if err != nil {
		return caller.Caller{}, err
	}
	live, err := s.session(ctx, g.sessionID)
	if err != nil {
		return caller.Caller{}, err
	}
	if live.UserID != g.userID {
		return caller.Caller{}, ErrUnauthenticated
	}
	return live.Caller, nil
}

// AuthenticateBrowser returns the caller of a token of LoginBrowser. Errors: ErrUnauthenticated.
func (s *Service) AuthenticateBrowser(ctx context.Context, token string) (caller.Caller, error) {
	sessionID, ok := s.browser.open(token)
	if !ok {
		return caller.Caller{}, ErrUnauthenticated
	}
	live, err := s.session(ctx, sessionID)
	if err != nil {
		return caller.Caller{}, err
	}
	if subtle.ConstantTimeCompare([]byte(live.tokenHash), []byte(hashToken(token))) != 1 {
		return caller.Caller{}, ErrUnauthenticated
	}
	return live.Caller, nil
}

// Current returns a caller as it is now, for a request that lasts: its session may end, and its user may be blocked, moved or denied a permission. What it returns
// is some seconds old at most and is served from memory. Errors: ErrUnauthenticated.
func (s *Service) Current(ctx context.Context, by caller.Caller) (caller.Caller, error) {
	live, err := s.session(ctx, by.SessionID)
	if err != nil {
		return caller.Caller{}, err
	}
	if live.UserID != by.UserID {
		return caller.Caller{}, ErrUnauthenticated
	}
	return live.Caller, nil
}

// session returns a live session of an active user, as it was within the last seconds.
func (s *Service) session(ctx context.Context, id uuid.UUID) (session, error) {
	live, err := s.sessions.Get(ctx, id, otter.LoaderFunc[uuid.UUID, session](s.loadSession))
	if errors.Is(err, otter.ErrNotFound) {
		return session{}, ErrUnauthenticated
	}
	return live, err
}
