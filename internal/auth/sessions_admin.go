package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/caller"
	"banca/models"
)

// Session is a login of a user.
type Session struct {
	ID          uuid.UUID
	UserID      uuid.UUID
	UserName    string
	EntityID    uuid.UUID
	Client      Client `gorm:"-"`
	CreatedAt   time.Time
	RefreshedAt time.Time
	ExpiresAt   time.Time
	EndedAt     *time.Time
	EndReason   string
	Browser     bool // a browser's, which ends BrowserTTL after its login at the latest
	Active      bool // neither ended nor expired
}

// SessionFilter selects sessions; zero fields select all.
type SessionFilter struct {
	UserID uuid.UUID
	Active *bool
	Limit  int
	Offset int
}

const sessionColumns = `SELECT s.id, s.user_id, u.name AS user_name, u.entity_id, s.device_info, s.created_at, s.refreshed_at, s.expires_at, s.ended_at, s.browser,
	coalesce(s.end_reason, '') AS end_reason, s.ended_at IS NULL AND s.expires_at > @now AS active`

// sessionsOf limits sessions to those the caller may see: all of the caller's scope, or only the caller's own.
const sessionsOf = ` FROM user_sessions s JOIN users u ON u.id = s.user_id JOIN entities e ON e.id = u.entity_id
	WHERE (s.user_id = @me OR @all AND e.path LIKE @scope)`

func (s *Service) visible(by caller.Caller, permission Permission) map[string]any {
	return map[string]any{"me": by.UserID, "all": by.May(permission), "scope": by.Scope.Pattern(), "now": s.clock.Now()}
}

// Sessions lists sessions, the newest first, and returns their total. A caller without the permission to read those
// of others gets its own.
func (s *Service) Sessions(ctx context.Context, by caller.Caller, f *SessionFilter) ([]Session, int64, error) {
	args, where := s.visible(by, SessionsRead), strings.Builder{}
	if f.UserID != uuid.Nil {
		where.WriteString(" AND s.user_id = @user")
		args["user"] = f.UserID
	}
	if f.Active != nil {
		where.WriteString(" AND (s.ended_at IS NULL AND s.expires_at > @now) = @active")
		args["active"] = *f.Active
	}
	var total int64
	db := s.db.WithContext(ctx)
	if err := db.Raw("SELECT count(*)"+sessionsOf+where.String(), args).Scan(&total).Error; err != nil {
		return nil, 0, fmt.Errorf("count sessions: %w", err)
	}
	args["limit"], args["offset"] = f.Limit, f.Offset
	list, err := readSessions(db, sessionsOf+where.String()+" ORDER BY s.created_at DESC, s.id DESC LIMIT @limit OFFSET @offset", args)
	return list, total, err
}

// Session returns one session. Errors: ErrSessionNotFound.
func (s *Service) Session(ctx context.Context, by caller.Caller, id uuid.UUID) (Session, error) {
	return s.oneSession(s.db.WithContext(ctx), by, SessionsRead, id, "")
}

func (s *Service) oneSession(db *gorm.DB, by caller.Caller, permission Permission, id uuid.UUID, lock string) (Session, error) {
	args := s.visible(by, permission)
	args["id"] = id
	list, err := readSessions(db, sessionsOf+" AND s.id = @id"+lock, args)
	if err != nil {
		return Session{}, err
	}
	if len(list) == 0 {
		return Session{}, ErrSessionNotFound
	}
	return list[0], nil
}

// ExtendSession sets the end of a live session: at most RefreshTTL from now, of a browser's at most BrowserTTL after its login,
// because its cookie ends then. Refreshes do not move it any more. Errors: ErrSessionNotFound,
// ErrSessionEnded, ErrSessionTime, ErrUserAbove.
func (s *Service) ExtendSession(ctx context.Context, by caller.Caller, id uuid.UUID, expires time.Time) (Session, error) {
	now := s.clock.Now()
	if !expires.After(now) || expires.After(now.Add(s.options.RefreshTTL)) {
		return Session{}, ErrSessionTime
	}
	return s.changeSession(ctx, by, id, func(tx *gorm.DB, before *Session) error {
		if before.Browser && expires.After(before.CreatedAt.Add(BrowserTTL)) {
			return ErrSessionTime
		}
		if err := tx.Exec(`UPDATE user_sessions SET expires_at = @end, ends_at = @end WHERE id = @id`, map[string]any{"end": expires, "id": id}).Error; err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Module: moduleSessions, Action: "extend", EntityID: before.EntityID, Target: id.String(), Details: map[string]any{"expires_at": []time.Time{before.ExpiresAt.UTC(), expires.UTC()}},
		})
	})
}

// TerminateSession ends a live session; its tokens are void in every process within seconds. Errors: ErrSessionNotFound,
// ErrSessionEnded, ErrUserAbove.
func (s *Service) TerminateSession(ctx context.Context, by caller.Caller, id uuid.UUID) (Session, error) {
	result, err := s.changeSession(ctx, by, id, func(tx *gorm.DB, before *Session) error {
		if err := tx.Exec(`UPDATE user_sessions SET ended_at = ?, end_reason = ? WHERE id = ?`, s.clock.Now(), endRevoked, id).Error; err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Module: moduleSessions, Action: "terminate", EntityID: before.EntityID, Target: id.String(), Details: map[string]any{"user_id": before.UserID},
		})
	})
	if err == nil {
		s.ended(ctx, endRevoked, id)
	}
	return result, err
}

// changeSession changes a live session and returns it as it is then.
func (s *Service) changeSession(ctx context.Context, by caller.Caller, id uuid.UUID, change func(*gorm.DB, *Session) error) (Session, error) {
	var result Session
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		before, err := s.oneSession(tx, by, SessionsWrite, id, " FOR UPDATE OF s")
		if err != nil {
			return err
		}
		if !before.Active {
			return ErrSessionEnded
		}
		if err := mayEnd(tx, by, before.UserID); err != nil {
			return err
		}
		if err := change(tx, &before); err != nil {
			return err
		}
		result, err = s.oneSession(tx, by, SessionsWrite, id, "")
		return err
	})
	s.sessions.Invalidate(id)
	return result, err
}

// mayEnd reports whether the caller may end sessions of a user: the caller's own, and those of users without a
// permission that the caller lacks. Errors: ErrUserAbove.
func mayEnd(tx *gorm.DB, by caller.Caller, user uuid.UUID) error {
	if user == by.UserID {
		return nil
	}
	var row models.User
	if err := tx.Where("id = ?", user).Take(&row).Error; err != nil {
		return err
	}
	holds, err := permissionsIn(tx, &row)
	if err == nil && !by.Permissions.Covers(holds.Effective) {
		return ErrUserAbove
	}
	return err
}

func readSessions(db *gorm.DB, from string, args map[string]any) ([]Session, error) {
	var rows []struct {
		Session
		DeviceInfo []byte
	}
	if err := db.Raw(sessionColumns+from, args).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	list := make([]Session, len(rows))
	for i := range rows {
		list[i] = rows[i].Session
		if err := json.Unmarshal(rows[i].DeviceInfo, &list[i].Client); err != nil {
			return nil, fmt.Errorf("session %s: %w", list[i].ID, err)
		}
	}
	return list, nil
}
