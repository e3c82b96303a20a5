package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/models"
)

// ErrHasUsers reports that a first administrator is refused, because the database has users.
var ErrHasUsers = errors.New("the database has users: log in as one of its administrators")

// HasUsers reports whether any user exists, deleted ones included.
func (s *Service) HasUsers(ctx context.Context) (bool, error) { return hasUsers(s.db.WithContext(ctx)) }

func hasUsers(db *gorm.DB) (bool, error) {
	var found int64
	if err := db.Model(&models.User{}).Limit(1).Count(&found).Error; err != nil {
		return false, fmt.Errorf("find users: %w", err)
	}
	return found > 0, nil
}

// PrepareFirst checks the first administrator, whose entity does not exist yet, and hashes the password. Errors:
// ErrInvalidUser, ErrWeakPassword.
func (s *Service) PrepareFirst(ctx context.Context, n *NewUser) (*PreparedUser, error) {
	row := models.User{
		ID: uuid.Must(uuid.NewV7()), Status: models.StatusActive, AuthMethod: models.AuthPassword,
		Role: models.RoleAdmin,
	}
	ch := UserChange{Email: &n.Email, Phone: &n.Phone, Identifier: &n.Identifier, Name: &n.Name}
	if err := ch.apply(&row, true); err != nil {
		return nil, err
	}
	hash, err := s.newPassword(ctx, &row, n.Password)
	if err != nil {
		return nil, err
	}
	row.PasswordHash = hash
	return &PreparedUser{row: row}, nil
}

// CreateFirstTx creates the first administrator in the operator's entity. The caller's transaction holds
// storage.LockTree, which serialises concurrent callers. Errors: ErrHasUsers.
func (s *Service) CreateFirstTx(ctx context.Context, tx *gorm.DB, p *PreparedUser, operator uuid.UUID) (User, error) {
	row := p.row
	row.EntityID = operator
	if has, err := hasUsers(tx); err != nil {
		return User{}, err
	} else if has {
		return User{}, ErrHasUsers
	}
	if err := tx.Create(&row).Error; err != nil {
		return User{}, fmt.Errorf("create the first administrator: %w", taken(err))
	}
	return userOf(&row), activity.RecordTx(ctx, tx, activity.Entry{
		Action: activity.UsersCreate, EntityID: row.EntityID, Target: row.ID.String(), Details: described(&row),
	})
}

// NamesWithPassword returns the login names of the given users that are active and have the password.
func (s *Service) NamesWithPassword(ctx context.Context, password string, ids ...uuid.UUID) ([]string, error) {
	var rows []models.User
	err := s.db.WithContext(ctx).Where("id IN ? AND status = ? AND deleted_at IS NULL", ids, models.StatusActive).Order("id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read users: %w", err)
	}
	var names []string
	for i := range rows {
		same, err := s.passwords.match(ctx, rows[i].PasswordHash, password, true)
		if err != nil {
			return nil, err
		}
		if u := userOf(&rows[i]); same {
			names = append(names, cmp.Or(u.Email, u.Identifier, u.Phone))
		}
	}
	return names, nil
}
