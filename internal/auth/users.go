package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/phone"
	"banca/models"
)

// User is a user as others may see it: without the password's hash.
type User struct {
	ID             uuid.UUID
	EntityID       uuid.UUID
	Email          string
	Phone          string
	Identifier     string
	Name           string
	Role           string
	Status         string
	LastActivityAt *time.Time
	CreatedAt      time.Time
}

// NewUser is what CreateUser needs. Phone and Identifier may be empty.
type NewUser struct {
	EntityID   uuid.UUID
	Email      string
	Phone      string
	Identifier string
	Name       string
	Role       string
	Password   string
}

// Me returns the caller's own user. Errors: ErrUnauthenticated.
func (s *Service) Me(ctx context.Context, p Principal) (User, error) {
	var row models.User
	err := s.db.WithContext(ctx).Where("id = ?", p.UserID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return User{}, ErrUnauthenticated
	}
	if err != nil {
		return User{}, fmt.Errorf("load user: %w", err)
	}
	return userOf(&row), nil
}

// CreateUser returns the user with this email, making it first if there is none. One that exists is left
// as it is: a seed that runs again must not undo what an administrator changed. Errors: ErrUserName,
// ErrWeakPassword, phone.ErrInvalid.
func (s *Service) CreateUser(ctx context.Context, n NewUser) (User, error) {
	row, err := n.row()
	if err != nil {
		return User{}, err
	}
	existing, err := s.findByName(ctx, loginName{email: row.Email})
	if err != nil || existing.ID != uuid.Nil {
		return userOf(&existing), err
	}
	if row.PasswordHash, err = HashPassword(n.Password, s.options.BcryptCost); err != nil {
		return User{}, err
	}
	if err := s.insertUser(ctx, &row); err != nil {
		return User{}, err
	}
	created, err := s.findByName(ctx, loginName{email: row.Email}) // of two calls at once, one inserted
	return userOf(&created), err
}

func (n *NewUser) row() (models.User, error) {
	email := fold(n.Email)
	if email == "" || n.Name == "" || n.Role == "" {
		return models.User{}, ErrUserName
	}
	row := models.User{
		ID: uuid.Must(uuid.NewV7()), EntityID: n.EntityID, Email: &email, Name: n.Name, Role: n.Role,
		AuthMethod: "password", Status: models.StatusActive,
	}
	if n.Phone != "" {
		number, err := phone.Normalise(n.Phone)
		if err != nil {
			return models.User{}, err
		}
		row.Phone = &number
	}
	if identifier := fold(n.Identifier); identifier != "" {
		row.Identifier = &identifier
	}
	return row, nil
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
		Name: row.Name, Role: row.Role, Status: row.Status, LastActivityAt: row.LastActivityAt, CreatedAt: row.CreatedAt,
	}
}
