package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// User is a user as answers show it: without the password's hash.
type User struct {
	ID             uuid.UUID
	EntityID       uuid.UUID
	Email          string
	Phone          string
	Identifier     string
	Name           string
	Role           string
	AuthMethod     string
	Status         string
	TOTP           bool // the authenticator program is asked for
	LastActivityAt *time.Time
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Me returns the caller's own user. Errors: ErrUnauthenticated.
func (s *Service) Me(ctx context.Context, by caller.Caller) (User, error) {
	var row models.User
	err := s.db.WithContext(ctx).Where("id = ?", by.UserID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return User{}, ErrUnauthenticated
	}
	if err != nil {
		return User{}, fmt.Errorf("load user: %w", err)
	}
	return userOf(&row), nil
}

func userOf(row *models.User) User {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	return User{
		ID: row.ID, EntityID: row.EntityID, Email: text(row.Email), Phone: text(row.Phone), Identifier: text(row.Identifier),
		Name: row.Name, Role: row.Role, AuthMethod: row.AuthMethod, Status: row.Status, TOTP: row.TOTPEnabledAt != nil,
		LastActivityAt: row.LastActivityAt, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// StatusNew is an active user who never logged in, for filters.
const StatusNew = "new"

// UserFilter selects users; zero fields select all.
type UserFilter struct {
	EntityID uuid.UUID
	Role     string
	Status   string // of a user, or StatusNew
	Text     string // in name, email, phone or identifier
	Limit    int
	Offset   int
}

// Users lists users in the caller's scope by name and returns their total. Deleted users are left out.
func (s *Service) Users(ctx context.Context, by caller.Caller, f *UserFilter) ([]User, int64, error) {
	q := s.db.WithContext(ctx).Model(&models.User{}).Joins("JOIN entities e ON e.id = users.entity_id").
		Where("e.path LIKE ? AND users.deleted_at IS NULL", by.Scope.Pattern())
	if f.EntityID != uuid.Nil {
		q = q.Where("users.entity_id = ?", f.EntityID)
	}
	if f.Role != "" {
		q = q.Where("users.role = ?", f.Role)
	}
	switch f.Status {
	case "":
	case StatusNew:
		q = q.Where("users.status = ? AND users.last_activity_at IS NULL", models.StatusActive)
	default:
		q = q.Where("users.status = ?", f.Status)
	}
	if f.Text != "" {
		pattern := storage.Containing(f.Text)
		q = q.Where("users.name ILIKE @text OR users.email ILIKE @text OR users.phone LIKE @text OR users.identifier ILIKE @text", map[string]any{"text": pattern})
	}
	rows, total, err := storage.Find[models.User](q, "users.name, users.id", f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list users: %w", err)
	}
	list := make([]User, len(rows))
	for i := range rows {
		list[i] = userOf(&rows[i])
	}
	return list, total, nil
}

// User returns a user in the caller's scope. Errors: ErrUserNotFound.
func (s *Service) User(ctx context.Context, by caller.Caller, id uuid.UUID) (User, error) {
	row, err := s.userInScope(ctx, by, id)
	if err != nil {
		return User{}, err
	}
	return userOf(&row), nil
}

func (s *Service) userInScope(ctx context.Context, by caller.Caller, id uuid.UUID) (models.User, error) {
	var row models.User
	err := s.db.WithContext(ctx).Where("id = ? AND deleted_at IS NULL AND entity_id IN (SELECT id FROM entities WHERE path LIKE ?)", id, by.Scope.Pattern()).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return models.User{}, ErrUserNotFound
	}
	if err != nil {
		return models.User{}, fmt.Errorf("read user: %w", err)
	}
	return row, nil
}
