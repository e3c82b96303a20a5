package auth

import (
	"context"

	"github.com/google/uuid"
)

// Why a session ended, as its row says.
const (
	endLogout   = "logout"
	endReuse    = "reuse"
	endExpired  = "expired"
	endReplaced = "replaced"
)

// Refresh exchanges a refresh token for new tokens; the old one is void from then on. Showing a void one
// means that somebody has a copy, so it ends the session for both. Errors: ErrInvalidRefresh.
func (s *Service) Refresh(ctx context.Context, token string) (Tokens, User, error) {
	sessionID, ok := s.refresh.open(token)
	if !ok {
		return Tokens{}, User{}, ErrInvalidRefresh
	}
	next, hash := s.refresh.issue(sessionID)
	user, rotated, err := s.rotate(ctx, sessionID, hashToken(token), hash)
	if err != nil {
		return Tokens{}, User{}, err
	}
	if !rotated {
		return Tokens{}, User{}, s.refuseReuse(ctx, sessionID, hashToken(token))
	}
	tokens, err := s.tokens(&user, sessionID, next)
	return tokens, user, err
}

// refuseReuse ends the session unless the token is its valid one, which an inactive user may show.
func (s *Service) refuseReuse(ctx context.Context, sessionID uuid.UUID, hash string) error {
	if err := s.endSession(ctx, sessionID, endReuse, hash); err != nil {
		return err
	}
	return ErrInvalidRefresh
}

// Logout ends the caller's session. Doing it twice is no error.
func (s *Service) Logout(ctx context.Context, p Principal) error {
	return s.endSession(ctx, p.SessionID, endLogout, "")
}

// ExpireSessions ends the sessions whose time is over and says how many. They are refused by their
// date anyway; this makes lists of sessions true. Repeating it is harmless.
func (s *Service) ExpireSessions(ctx context.Context) (int64, error) {
	var total int64
	for {
		n, err := s.expireBatch(ctx)
		total += n
		if err != nil || n < expireBatch {
			return total, err
		}
	}
}
