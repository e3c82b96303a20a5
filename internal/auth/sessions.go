package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
)

// The reasons of ended sessions, as stored.
const (
	endLogout   = "logout"
	endReuse    = "reuse"
	endExpired  = "expired"
	endReplaced = "replaced"
	endDisabled = "disabled"   // the user was deactivated or deleted
	endPassword = "password"   // the password was changed
	endRevoked  = "terminated" // by an administrator
)

// refreshGrace is how long a client gets the answer to its last refresh again, so that a lost answer ends no session.
const refreshGrace = 30 * time.Second

// Refresh exchanges a refresh token for new tokens and voids the old one. The same client, told by its User-Agent, gets
// the same refresh token again within refreshGrace. Any other use of a void token comes from a copy, so it ends the
// session. Errors: ErrInvalidRefresh.
func (s *Service) Refresh(ctx context.Context, token string, from Client) (Tokens, User, error) {
	sessionID, ok := s.refresh.open(token)
	if !ok {
		return Tokens{}, User{}, ErrInvalidRefresh
	}
	next, hash := s.refresh.next(sessionID, token, from.UserAgent)
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
	if err := s.endReused(ctx, sessionID, hash); err != nil {
		return err
	}
	return ErrInvalidRefresh
}

// Logout ends the caller's session. It is idempotent.
func (s *Service) Logout(ctx context.Context, by caller.Caller) error {
	var ended bool
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		ids, err := s.endSessions(tx.Where("id = ? AND ended_at IS NULL", by.SessionID), endLogout)
		if ended = len(ids) > 0; err != nil || !ended {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.AuthLogout, EntityID: by.EntityID, Target: by.SessionID.String(),
		})
	})
	if err != nil {
		return fmt.Errorf("logout: %w", err)
	}
	if ended {
		s.ended(ctx, endLogout, by.SessionID)
	}
	return nil
}

// ExpireSessions ends expired sessions and returns their number. They are refused by their date anyway; this corrects
// lists of sessions. It is idempotent.
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
