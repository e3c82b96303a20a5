package auth

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/models"
)

// ChangePassword replaces the caller's password and ends the caller's other sessions. Errors: ErrInvalidCredentials for a
// wrong current one, ErrWeakPassword, ErrTooManyLogins, ErrBusy.
func (s *Service) ChangePassword(ctx context.Context, p Principal, current, next string) error {
	attempts := s.throttle.signedIn(&p)
	if err := s.throttle.admit(ctx, attempts); err != nil {
		return err
	}
	var row models.User
	if err := s.db.WithContext(ctx).Where("id = ?", p.UserID).Take(&row).Error; err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	matches, err := s.passwords.match(ctx, row.PasswordHash, current, true)
	if err != nil {
		return err
	}
	if !matches {
		return ErrInvalidCredentials
	}
	s.throttle.succeeded(ctx, attempts)
	return s.setPassword(ctx, &row, next, "password_change", p.SessionID)
}

// ResetPassword gives a user another password and ends all of the user's sessions. Errors: ErrUserNotFound,
// ErrUserAbove, ErrOwnUser, ErrWeakPassword, ErrBusy.
func (s *Service) ResetPassword(ctx context.Context, by Principal, id uuid.UUID, next string) error {
	if id == by.UserID {
		return ErrOwnUser
	}
	var row models.User
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var err error
		row, err = s.manageable(tx, by, id)
		return err
	})
	if err != nil {
		return err
	}
	s.handed(&row, by)
	return s.setPassword(ctx, &row, next, "password_reset", uuid.Nil)
}

// setPassword writes a password that replaces the row's, unless another change came first.
func (s *Service) setPassword(ctx context.Context, row *models.User, next, action string, keep uuid.UUID) error {
	hash, err := s.newPassword(ctx, row, next)
	if err != nil {
		return err
	}
	var ended []uuid.UUID
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		now := s.clock.Now()
		written := tx.Exec(`UPDATE users SET password_hash = ?, password_changed_at = ?, updated_at = ?, credentials_by = ?, credentials_at = ? WHERE id = ? AND password_hash = ? AND deleted_at IS NULL`,
			hash, now, now, row.CredentialsBy, row.CredentialsAt, row.ID, row.PasswordHash)
		if written.Error != nil {
			return written.Error
		}
		if written.RowsAffected == 0 {
			return ErrInvalidCredentials
		}
		if ended, err = s.endUserSessions(tx, row.ID, endPassword, keep); err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{Module: moduleUsers, Action: action, EntityID: row.EntityID, Target: row.ID.String()})
	})
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	s.ended(ctx, endPassword, ended...)
	return nil
}

// newPassword hashes a password that is fit for the user: long enough, not one of the user's names and not among those
// that are guessed first.
func (s *Service) newPassword(ctx context.Context, row *models.User, password string) (string, error) {
	if common(password) {
		return "", ErrWeakPassword
	}
	for _, name := range []*string{row.Email, row.Phone, row.Identifier, &row.Name} {
		if name != nil && strings.EqualFold(password, *name) {
			return "", ErrWeakPassword
		}
	}
	return s.passwords.hash(ctx, password, s.options.BcryptCost)
}
