package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/maypok86/otter/v2"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/models"
	"banca/storage"
)

const (
	expireBatch = 5_000 // sessions ended by one UPDATE

	// maxSessions is how many live sessions a user may have; a further login ends the oldest.
	maxSessions = 500
)

// findByName returns the user a name belongs to, or a zero row. One user's identifier may read like
// another's email or phone; the more particular name wins.
func (s *Service) findByName(ctx context.Context, n loginName) (models.User, error) {
	var row models.User
	err := s.db.WithContext(ctx).Where("(email = ? OR phone = ? OR identifier = ?) AND deleted_at IS NULL", n.email, n.phone, n.identifier).
		Order(clause.OrderBy{Expression: gorm.Expr("(email = ?) IS TRUE DESC, (phone = ?) IS TRUE DESC", n.email, n.phone)}).Limit(1).Find(&row).Error
	if err != nil {
		return models.User{}, fmt.Errorf("find user: %w", err)
	}
	return row, nil
}

// newSession is a session to open.
type newSession struct {
	id        uuid.UUID
	hash      string // of its token
	browser   bool
	confirmed bool // by the password, or the code in its place
}

// openSession writes a session and marks the user active, in one transaction. user is the user as verified: if the password
// was changed, or the user ended, during the comparison, that change has ended the user's sessions, and no later one may
// begin. Errors: ErrInvalidCredentials.
func (s *Service) openSession(ctx context.Context, user *models.User, next *newSession, from Client) error {
	now, ttl := s.clock.Now(), s.options.RefreshTTL
	if next.browser {
		ttl = BrowserTTL
	}
	var confirmed *time.Time
	if next.confirmed {
		confirmed = &now
	}
	var replaced []uuid.UUID
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		same := tx.Model(&models.User{}).Where("id = ? AND status = 'active' AND deleted_at IS NULL AND password_hash = ?", user.ID, user.PasswordHash).
			UpdateColumn("last_activity_at", now)
		if same.Error != nil {
			return same.Error
		}
		if same.RowsAffected == 0 {
			return ErrInvalidCredentials
		}
		err := tx.Create(&models.UserSession{
			ID: next.id, UserID: user.ID, TokenHash: next.hash, DeviceInfo: from.info(),
			ExpiresAt: now.Add(ttl), CreatedAt: now, RefreshedAt: now, ConfirmedAt: confirmed, Browser: next.browser,
		}).Error
		if err != nil {
			return err
		}
		oldest := tx.Model(&models.UserSession{}).Select("id").Where("user_id = ? AND ended_at IS NULL", user.ID).Order("created_at DESC").Offset(maxSessions)
		if replaced, err = s.endSessions(tx.Where("id IN (?)", oldest), endReplaced); err != nil {
			return err
		}
		return activity.RecordTx(activity.WithActor(ctx, activity.Actor{
			UserID: user.ID, SessionID: next.id, Name: user.Name, Address: from.Address, UserAgent: from.UserAgent,
		}), tx, activity.Entry{Action: activity.AuthLogin, EntityID: user.EntityID, Target: next.id.String()})
	})
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	s.ended(ctx, endReplaced, replaced...)
	return nil
}

// rotate replaces the hash of a live session's token, if it is still the old one, or has become the new one within
// refreshGrace: of two clients with the same token one wins. The session's end moves, unless a person set it.
func (s *Service) rotate(ctx context.Context, sessionID uuid.UUID, oldHash, newHash string) (User, bool, error) {
	now := s.clock.Now()
	rows, err := s.pg.Pool.Query(ctx, rotateSQL, sessionID, oldHash, newHash, now, now.Add(s.options.RefreshTTL), now.Add(-refreshGrace))
	if err != nil {
		return User{}, false, fmt.Errorf("rotate refresh token: %w", err)
	}
	user, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByNameLax[models.User])
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, false, nil
	}
	if err != nil {
		return User{}, false, fmt.Errorf("rotate refresh token: %w", err)
	}
	return userOf(user), true, nil
}

// rotateSQL returns the columns that userOf reads.
const rotateSQL = `UPDATE user_sessions s SET token_hash = $3, expires_at = LEAST($5, s.ends_at),
		refreshed_at = CASE s.token_hash WHEN $2 THEN $4 ELSE s.refreshed_at END
	FROM users u
	WHERE s.id = $1 AND (s.token_hash = $2 OR s.token_hash = $3 AND s.refreshed_at > $6) AND s.ended_at IS NULL AND s.expires_at > $4
		AND u.id = s.user_id AND u.status = 'active'
	RETURNING u.id, u.entity_id, u.email, u.phone, u.identifier, u.name, u.role, u.auth_method, u.status, u.totp_enabled_at,
		u.last_activity_at, u.created_at, u.updated_at`

// endReused ends a live session whose valid token is another than the one with the given hash.
func (s *Service) endReused(ctx context.Context, sessionID uuid.UUID, exceptHash string) error {
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		var user, entity uuid.UUID
		err := tx.QueryRow(ctx, `UPDATE user_sessions s SET ended_at = $1, end_reason = $2 FROM users u
			WHERE s.id = $3 AND s.ended_at IS NULL AND s.token_hash <> $4 AND u.id = s.user_id RETURNING u.id, u.entity_id`,
			s.clock.Now(), endReuse, sessionID, exceptHash).Scan(&user, &entity)
		if err != nil {
			return err
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: activity.AuthReuse, EntityID: entity, Target: sessionID.String(), Details: map[string]any{"user_id": user},
		})
	})
	if errors.Is(err, pgx.ErrNoRows) { // ended already, or its token is the valid one
		return nil
	}
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	s.ended(ctx, endReuse, sessionID)
	return nil
}

// endUserSessions ends the live sessions of a user but one, and returns them for ended, after the commit.
func (s *Service) endUserSessions(tx *gorm.DB, user uuid.UUID, reason string, except uuid.UUID) ([]uuid.UUID, error) {
	return s.endSessions(tx.Where("user_id = ? AND ended_at IS NULL AND id <> ?", user, except), reason)
}

// endSessions ends the selected sessions and returns their ids.
func (s *Service) endSessions(selected *gorm.DB, reason string) ([]uuid.UUID, error) {
	var rows []models.UserSession
	err := selected.Model(&rows).Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}}}).
		UpdateColumns(map[string]any{"ended_at": s.clock.Now(), "end_reason": reason}).Error
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
	ended, err := storage.Collect(ctx, s.pg.Pool, "expire sessions", pgx.RowTo[uuid.UUID],
		`UPDATE user_sessions SET ended_at = $1, end_reason = $2 WHERE ended_at IS NULL AND id IN (
			SELECT id FROM user_sessions WHERE ended_at IS NULL AND expires_at <= $1 LIMIT $3) RETURNING id`,
		s.clock.Now(), endExpired, expireBatch)
	if err != nil {
		return 0, err
	}
	s.ended(ctx, endExpired, ended...)
	return int64(len(ended)), nil
}

// sessionSQL reads a live session of an active user. Of several devices it takes the one validated last.
const sessionSQL = `
	SELECT u.id, u.entity_id, u.role, u.name, s.token_hash, s.browser, d.device_id,
		ARRAY (SELECT permission FROM user_permissions WHERE user_id = u.id AND granted),
		ARRAY (SELECT permission FROM user_permissions WHERE user_id = u.id AND NOT granted)
	FROM user_sessions s JOIN users u ON u.id = s.user_id
		LEFT JOIN LATERAL (SELECT device_id FROM device_sessions WHERE user_session_id = s.id AND status = 'active' ORDER BY id DESC LIMIT 1) d ON true
	WHERE s.id = $1 AND s.ended_at IS NULL AND s.expires_at > $2 AND u.status = 'active'`

// userSQL reads an active user as sessionSQL does.
const userSQL = `
	SELECT u.id, u.entity_id, u.role, u.name,
		ARRAY (SELECT permission FROM user_permissions WHERE user_id = u.id AND granted),
		ARRAY (SELECT permission FROM user_permissions WHERE user_id = u.id AND NOT granted)
	FROM users u WHERE u.id = $1 AND u.status = 'active'`

// CallerOf returns an active user as a caller without a session, for a task that does what the user asked for: with the scope and the permissions
// that the user has now. Errors: ErrUserNotFound.
func (s *Service) CallerOf(ctx context.Context, userID uuid.UUID) (caller.Caller, error) {
	var by caller.Caller
	var granted, denied []Permission
	err := s.pg.Pool.QueryRow(ctx, userSQL, userID).Scan(&by.UserID, &by.EntityID, &by.Role, &by.Name, &granted, &denied)
	if errors.Is(err, pgx.ErrNoRows) {
		return caller.Caller{}, ErrUserNotFound
	}
	if err != nil {
		return caller.Caller{}, fmt.Errorf("load user: %w", err)
	}
	if by.Scope, err = s.options.Scope(ctx, by.EntityID); err != nil {
		return caller.Caller{}, fmt.Errorf("entity of user %s: %w", userID, err)
	}
	by.Permissions = allowed(by.Role, granted, denied)
	return by, nil
}

// loadSession reads a live session of an active user for the cache. It uses a fixed plan: planning takes four times as
// long as reading, and a session that is used once in a few seconds is read for each of its requests.
func (s *Service) loadSession(ctx context.Context, id uuid.UUID) (session, error) {
	live := session{Caller: caller.Caller{SessionID: id}}
	var device uuid.NullUUID
	var granted, denied []Permission
	err := s.pg.Commits.QueryRow(ctx, sessionSQL, id, s.clock.Now()).
		Scan(&live.UserID, &live.EntityID, &live.Role, &live.Name, &live.tokenHash, &live.Browser, &device, &granted, &denied)
	if errors.Is(err, pgx.ErrNoRows) {
		return session{}, otter.ErrNotFound
	}
	if err != nil {
		return session{}, fmt.Errorf("load session: %w", err)
	}
	if live.Scope, err = s.options.Scope(ctx, live.EntityID); err != nil {
		return session{}, fmt.Errorf("entity of user %s: %w", live.UserID, err)
	}
	live.DeviceID, live.Permissions = device.UUID, allowed(live.Role, granted, denied)
	return live, nil
}
