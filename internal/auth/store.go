package auth

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/caller"
	"banca/internal/realtime"
	"banca/models"
)

const (
	expireBatch = 5_000 // sessions ended by one UPDATE

	// maxSessions is how many live sessions a user may have; a further login ends the oldest.
	maxSessions = 500
)

// findByName returns the user a name belongs to, or a zero row. One user's identifier may read like
// another's email or phone; the more particular name wins.
func (s *Service) findByName(ctx context.Context, n loginName) (models.User, error) {
	var rows []models.User
	err := s.db.WithContext(ctx).Raw(`
		SELECT * FROM users WHERE (email = @email OR phone = @phone OR identifier = @identifier) AND deleted_at IS NULL
		ORDER BY (email = @email) IS TRUE DESC, (phone = @phone) IS TRUE DESC LIMIT 1`,
		map[string]any{"email": n.email, "phone": n.phone, "identifier": n.identifier}).Scan(&rows).Error
	if err != nil {
		return models.User{}, fmt.Errorf("find user: %w", err)
	}
	if len(rows) == 0 {
		return models.User{}, nil
	}
	return rows[0], nil
}

// openSession writes a session and marks the user active, in one transaction. A login counts as a confirmation of the
// password. row is the user as it was verified: if the password was changed, or the user ended, during the
// comparison, that change has ended the user's sessions, and no later one may begin. Errors: ErrInvalidCredentials.
func (s *Service) openSession(ctx context.Context, user *models.User, sessionID uuid.UUID, hash string, browser bool, from Client) error {
	now, ttl := s.clock.Now(), s.options.RefreshTTL
	if browser {
		ttl = BrowserTTL
	}
	var replaced []uuid.UUID
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		same := tx.Exec(`UPDATE users SET last_activity_at = ? WHERE id = ? AND status = 'active' AND deleted_at IS NULL AND password_hash = ?`,
			now, user.ID, user.PasswordHash)
		if same.Error != nil {
			return same.Error
		}
		if same.RowsAffected == 0 {
			return ErrInvalidCredentials
		}
		err := tx.Create(&models.UserSession{
			ID: sessionID, UserID: user.ID, TokenHash: hash, DeviceInfo: from.info(),
			ExpiresAt: now.Add(ttl), CreatedAt: now, RefreshedAt: now, ConfirmedAt: &now, Browser: browser,
		}).Error
		if err != nil {
			return err
		}
		err = tx.Raw(`
			UPDATE user_sessions SET ended_at = ?, end_reason = ? WHERE id IN (
				SELECT id FROM user_sessions WHERE user_id = ? AND ended_at IS NULL ORDER BY created_at DESC OFFSET ?) RETURNING id`,
			now, endReplaced, user.ID, maxSessions).Scan(&replaced).Error
		if err != nil {
			return err
		}
		return activity.RecordTx(activity.WithActor(ctx, activity.Actor{
			UserID: user.ID, SessionID: sessionID, Name: user.Name, Address: from.Address, UserAgent: from.UserAgent,
		}), tx, activity.Entry{Module: moduleAuth, Action: "login", EntityID: user.EntityID, Target: sessionID.String()})
	})
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	s.ended(ctx, endReplaced, replaced...)
	return nil
}

// rotate replaces the hash of a live session's token, if it is still the old one: of two callers with
// the same token one wins. The session's end moves, unless a person set it.
func (s *Service) rotate(ctx context.Context, sessionID uuid.UUID, oldHash, newHash string) (User, bool, error) {
	now := s.clock.Now()
	var rows []models.User
	err := s.db.WithContext(ctx).Raw(`
		UPDATE user_sessions s SET token_hash = @new, refreshed_at = @now, expires_at = LEAST(@expires, s.ends_at)
		FROM users u
		WHERE s.id = @id AND s.token_hash = @old AND s.ended_at IS NULL AND s.expires_at > @now
			AND u.id = s.user_id AND u.status = 'active'
		RETURNING u.*`,
		map[string]any{"id": sessionID, "old": oldHash, "new": newHash, "now": now, "expires": now.Add(s.options.RefreshTTL)}).Scan(&rows).Error
	if err != nil {
		return User{}, false, fmt.Errorf("rotate refresh token: %w", err)
	}
	if len(rows) == 0 {
		return User{}, false, nil
	}
	return userOf(&rows[0]), true, nil
}

// endSession ends a live session whose valid token is another than the one with the given hash.
func (s *Service) endSession(ctx context.Context, sessionID uuid.UUID, reason, exceptHash string) error {
	var owners []models.User
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		err := tx.Raw(`
			UPDATE user_sessions s SET ended_at = ?, end_reason = ? FROM users u
			WHERE s.id = ? AND s.ended_at IS NULL AND s.token_hash <> ? AND u.id = s.user_id RETURNING u.id, u.entity_id`,
			s.clock.Now(), reason, sessionID, exceptHash).Scan(&owners).Error
		if err != nil || len(owners) == 0 {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Module: moduleAuth, Action: reason, EntityID: owners[0].EntityID, Target: sessionID.String(), Details: map[string]any{"user_id": owners[0].ID},
		})
	})
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if len(owners) > 0 {
		s.ended(ctx, reason, sessionID)
	}
	return nil
}

// endUserSessions ends the live sessions of a user but one, and returns them for ended, after the commit.
func (s *Service) endUserSessions(tx *gorm.DB, user uuid.UUID, reason string, except uuid.UUID) ([]uuid.UUID, error) {
	var rows []models.UserSession
	err := tx.Raw(`UPDATE user_sessions SET ended_at = ?, end_reason = ? WHERE user_id = ? AND ended_at IS NULL AND id <> ? RETURNING id`,
		s.clock.Now(), reason, user, except).Scan(&rows).Error
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	return ids, err
}

// ended drops ended sessions from the cache and publishes their end, after the commit.
func (s *Service) ended(ctx context.Context, reason string, ids ...uuid.UUID) {
	for _, id := range ids {
		s.sessions.Invalidate(id)
		s.options.Events.Publish(ctx, realtime.UserSession(id),
			realtime.EventOf(s.clock.Now(), realtime.Terminated{SessionID: id, Reason: reason}))
	}
}

func (s *Service) expireBatch(ctx context.Context) (int64, error) {
	now := s.clock.Now()
	var ended []uuid.UUID
	err := s.db.WithContext(ctx).Raw(`
		UPDATE user_sessions SET ended_at = ?, end_reason = ? WHERE ended_at IS NULL AND id IN (
			SELECT id FROM user_sessions WHERE ended_at IS NULL AND expires_at <= ? LIMIT ?) RETURNING id`,
		now, endExpired, now, expireBatch).Scan(&ended).Error
	if err != nil {
		return 0, fmt.Errorf("expire sessions: %w", err)
	}
	s.ended(ctx, endExpired, ended...)
	return int64(len(ended)), nil
}

// loadSession reads a live session of an active user for the cache.
func (s *Service) loadSession(ctx context.Context, id uuid.UUID) (session, error) {
	var rows []struct {
		models.User
		TokenHash string
		DeviceID  uuid.UUID
		Granted   string
		Denied    string
	}
	err := s.db.WithContext(ctx).Raw(`
		SELECT u.*, s.token_hash, d.device_id,
			coalesce((SELECT string_agg(permission, ',') FROM user_permissions WHERE user_id = u.id AND granted), '') AS granted,
			coalesce((SELECT string_agg(permission, ',') FROM user_permissions WHERE user_id = u.id AND NOT granted), '') AS denied
		FROM user_sessions s JOIN users u ON u.id = s.user_id
			LEFT JOIN LATERAL (SELECT device_id FROM device_sessions -- of several devices the one proved last
				WHERE user_session_id = s.id AND status = 'active' ORDER BY id DESC LIMIT 1) d ON true
		WHERE s.id = ? AND s.ended_at IS NULL AND s.expires_at > ? AND u.status = 'active'`, id, s.clock.Now()).Scan(&rows).Error
	if err != nil {
		return session{}, fmt.Errorf("load session: %w", err)
	}
	if len(rows) == 0 {
		return session{}, otter.ErrNotFound
	}
	user := &rows[0].User
	scope, err := s.options.Scope(ctx, user.EntityID)
	if err != nil {
		return session{}, fmt.Errorf("entity of user %s: %w", user.ID, err)
	}
	return session{
		tokenHash: rows[0].TokenHash,
		Caller: caller.Caller{
			UserID: user.ID, SessionID: id, DeviceID: rows[0].DeviceID, EntityID: user.EntityID, Scope: scope, Role: user.Role, Name: user.Name,
			Permissions: allowed(user.Role, permissionsOf(rows[0].Granted), permissionsOf(rows[0].Denied)),
		},
	}, nil
}

// permissionsOf reads a list as loadSession writes it.
func permissionsOf(list string) []Permission {
	var all []Permission
	for name := range strings.SplitSeq(list, ",") {
		if name != "" {
			all = append(all, Permission(name))
		}
	}
	return all
}
