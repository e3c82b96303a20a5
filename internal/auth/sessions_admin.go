package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
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
	LastSeenAt  time.Time // of its last request, at most some seconds old
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

// sessionRow is a session as it is read.
type sessionRow struct {
	Session

	DeviceInfo []byte
}

func (r *sessionRow) session() (Session, error) {
	if err := json.Unmarshal(r.DeviceInfo, &r.Client); err != nil {
		return Session{}, fmt.Errorf("session %s: %w", r.ID, err)
	}
	return r.Session, nil
}

const sessionColumns = `s.id, s.user_id, u.name AS user_name, u.entity_id, s.device_info, s.created_at, s.refreshed_at,
	coalesce(s.last_seen_at, s.refreshed_at) AS last_seen_at, s.expires_at, s.ended_at, s.browser,
	coalesce(s.end_reason, '') AS end_reason, s.ended_at IS NULL AND s.expires_at > ? AS active`

// visible selects the sessions that the caller may see: all of the caller's scope, or only the caller's own. The user
// is joined for its columns only, so that a count reads the sessions alone.
func visible(db *gorm.DB, by caller.Caller, permission Permission) *gorm.DB {
	q := db.Table("user_sessions s").Joins("LEFT JOIN users u ON u.id = s.user_id")
	if !by.May(permission) {
		return q.Where("s.user_id = ?", by.UserID)
	}
	return q.Where(
		"s.user_id IN (SELECT o.id FROM users o JOIN entities e ON e.id = o.entity_id WHERE e.path LIKE ?)",
		by.Scope.Pattern(),
	)
}

// Sessions lists sessions, the newest first, and returns their total. A caller without the permission to read those
// of others gets its own.
func (s *Service) Sessions(ctx context.Context, by caller.Caller, f *SessionFilter) ([]Session, int64, error) {
	q := visible(s.db.WithContext(ctx), by, SessionsRead)
	if f.UserID != uuid.Nil {
		q = q.Where("s.user_id = ?", f.UserID)
	}
	if f.Active != nil {
		condition := "s.ended_at IS NULL AND s.expires_at > ?"
		if !*f.Active {
			condition = "s.ended_at IS NOT NULL OR s.expires_at <= ?"
		}
		q = q.Where(condition, s.clock.Now())
	}
	rows, total, err := storage.Find[sessionRow](
		q.Select(sessionColumns, s.clock.Now()), "s.created_at DESC, s.id DESC", f.Limit, f.Offset,
	)
	if err != nil {
		return nil, 0, fmt.Errorf("list sessions: %w", err)
	}
	list := make([]Session, len(rows))
	for i := range rows {
		if list[i], err = rows[i].session(); err != nil {
			return nil, 0, err
		}
	}
	return list, total, nil
}

// Session returns one session. Errors: ErrSessionNotFound.
func (s *Service) Session(ctx context.Context, by caller.Caller, id uuid.UUID) (Session, error) {
	return s.oneSession(visible(s.db.WithContext(ctx), by, SessionsRead), id)
}

func (s *Service) oneSession(visible *gorm.DB, id uuid.UUID) (Session, error) {
	var row sessionRow
	err := visible.Select(sessionColumns, s.clock.Now()).Where("s.id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Session{}, ErrSessionNotFound
	}
	if err != nil {
		return Session{}, fmt.Errorf("read session: %w", err)
	}
	return row.session()
}

// ExtendSession sets the end of a live session: at most RefreshTTL from now, of a browser's at most BrowserTTL after
// its login, because its cookie ends then. Refreshes do not move it any more. Errors: ErrSessionNotFound,
// ErrSessionEnded, ErrSessionTime, ErrUserAbove.
func (s *Service) ExtendSession(
	ctx context.Context, by caller.Caller, id uuid.UUID, expires time.Time,
) (Session, error) {
	now := s.clock.Now()
	if !expires.After(now) || expires.After(now.Add(s.options.RefreshTTL)) {
		return Session{}, ErrSessionTime
	}
	return s.changeSession(ctx, by, id, func(tx *gorm.DB, before *Session) error {
		if before.Browser && expires.After(before.CreatedAt.Add(BrowserTTL)) {
			return ErrSessionTime
		}
		err := tx.Model(&models.UserSession{}).Where("id = ?", id).UpdateColumns(map[string]any{"expires_at": expires, "ends_at": expires}).Error
		if err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.SessionsExtend, EntityID: before.EntityID, Target: id.String(),
			Changes: activity.Changed("expires_at", before.ExpiresAt.UTC(), expires.UTC()),
		})
	})
}

// TerminateSession ends a live session; its tokens are void in every process within seconds. Errors:
// ErrSessionNotFound, ErrSessionEnded, ErrUserAbove.
func (s *Service) TerminateSession(ctx context.Context, by caller.Caller, id uuid.UUID) (Session, error) {
	result, err := s.changeSession(ctx, by, id, func(tx *gorm.DB, before *Session) error {
		if _, err := s.endSessions(tx.Where("id = ?", id), endRevoked); err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.SessionsTerminate, EntityID: before.EntityID, Target: id.String(),
			Details: map[string]any{"user_id": before.UserID},
		})
	})
	if err == nil {
		s.ended(ctx, endRevoked, id)
	}
	return result, err
}

// changeSession changes a live session and returns it as it is then.
func (s *Service) changeSession(
	ctx context.Context, by caller.Caller, id uuid.UUID, change func(*gorm.DB, *Session) error,
) (Session, error) {
	var result Session
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		before, err := s.oneSession(
			visible(tx, by, SessionsWrite).Clauses(clause.Locking{Strength: "UPDATE", Table: clause.Table{Name: "s"}}),
			id,
		)
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
		result, err = s.oneSession(visible(tx, by, SessionsWrite), id)
		return err
	})
	s.sessions.Invalidate(id)
	return result, err
}

// mayEnd reports whether the caller may end sessions of a user: the caller's own, and sessions of users without a
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
