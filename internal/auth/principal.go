package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/activity"
)

// How long a session may be served from memory: it is reloaded in the background after sessionRefresh
// and never used after sessionExpiry, so an end, a suspension or a new role reaches every process soon.
const (
	sessionRefresh   = time.Second
	sessionExpiry    = 5 * time.Second
	sessionCacheSize = 50_000
)

// Principal is an authenticated caller with its part of the organisation.
type Principal struct {
	UserID     uuid.UUID
	SessionID  uuid.UUID
	DeviceID   uuid.UUID // proved in this session, and active; uuid.Nil without one
	EntityID   uuid.UUID
	EntityPath string // '/<id>/.../<id>/'; every query is limited to what lies below it
	Role       string
	Name       string
	Can        PermissionSet
}

// May reports whether the caller has a permission.
func (p *Principal) May(permission Permission) bool { return p.Can.Has(permission) }

// Actor is the caller in the trail.
func (p *Principal) Actor(from Client) activity.Actor {
	return activity.Actor{UserID: p.UserID, SessionID: p.SessionID, Name: p.Name, Address: from.Address, UserAgent: from.UserAgent}
}

// AtRoot reports whether the caller belongs to the entity at the root, whose path is one id.
func (p *Principal) AtRoot() bool { return strings.Count(p.EntityPath, "/") == 2 }

// session is a live session as the cache holds it.
type session struct {
	Principal
	tokenHash string
}

type sessionCache = otter.Cache[uuid.UUID, session]

func newSessionCache() *sessionCache {
	return otter.Must(&otter.Options[uuid.UUID, session]{
		MaximumSize:       sessionCacheSize,
		ExpiryCalculator:  otter.ExpiryWriting[uuid.UUID, session](sessionExpiry),
		RefreshCalculator: otter.RefreshWriting[uuid.UUID, session](sessionRefresh),
	})
}

// Authenticate returns the caller of an access token. It takes about a microsecond for a cached token and session.
// Errors: ErrUnauthenticated, ErrTokenExpired.
func (s *Service) Authenticate(ctx context.Context, token string) (Principal, error) {
	g, err := s.access.verify(token)
	if err != nil {
		return Principal{}, err
	}
	live, err := s.session(ctx, g.sessionID)
	if err != nil {
		return Principal{}, err
	}
	if live.UserID != g.userID {
		return Principal{}, ErrUnauthenticated
	}
	return live.Principal, nil
}

// AuthenticateBrowser returns the caller of a token of LoginBrowser. Errors: ErrUnauthenticated.
func (s *Service) AuthenticateBrowser(ctx context.Context, token string) (Principal, error) {
	sessionID, ok := s.browser.open(token)
	if !ok {
		return Principal{}, ErrUnauthenticated
	}
	live, err := s.session(ctx, sessionID)
	if err != nil {
		return Principal{}, err
	}
	if subtle.ConstantTimeCompare([]byte(live.tokenHash), []byte(hashToken(token))) != 1 {
		return Principal{}, ErrUnauthenticated
	}
	return live.Principal, nil
}

// session returns a live session of an active user, as it was within the last seconds.
func (s *Service) session(ctx context.Context, id uuid.UUID) (session, error) {
	live, err := s.sessions.Get(ctx, id, otter.LoaderFunc[uuid.UUID, session](s.loadSession))
	if errors.Is(err, otter.ErrNotFound) {
		return session{}, ErrUnauthenticated
	}
	return live, err
}
