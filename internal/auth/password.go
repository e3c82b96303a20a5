package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// ChangePassword replaces the caller's password and ends the caller's other sessions. Errors: ErrInvalidCredentials for a
// wrong current one, ErrWeakPassword, ErrTooManyLogins, ErrBusy.
func (s *Service) ChangePassword(ctx context.Context, by caller.Caller, current, next string) error {
	attempts := s.throttle.signedIn(&by)
	tally := s.throttle.begin()
	if err := tally.admit(ctx, attempts); err != nil {
		return err
	}
	var row models.User
	if err := s.db.WithContext(ctx).Where("id = ?", by.UserID).Take(&row).Error; err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	matches, err := s.passwords.match(ctx, row.PasswordHash, current, true)
	if err != nil {
		return err
	}
	if !matches {
		return ErrInvalidCredentials
	}
	tally.succeeded(ctx, attempts)
	hash, err := s.newPassword(ctx, &row, next)
	if err != nil {
		return err
	}
	first := func(*gorm.DB) error { return nil }
	return s.writePassword(ctx, &row, hash, activity.UsersPasswordChange, by.SessionID, first)
}

// ResetPassword gives a user another password and ends all of the user's sessions. Errors: ErrUserNotFound,
// ErrUserAbove, ErrOwnUser, ErrWeakPassword, ErrBusy.
func (s *Service) ResetPassword(ctx context.Context, by caller.Caller, id uuid.UUID, next string) error {
	if id == by.UserID {
		return ErrOwnUser
	}
	var row models.User
	manageable := func(tx *gorm.DB) error {
		var err error
		row, err = s.manageable(tx, by, id)
		return err
	}
	if err := s.db.WithContext(ctx).Transaction(manageable); err != nil {
		return err
	}
	hash, err := s.newPassword(ctx, &row, next)
	if err != nil {
		return err
	}
	return s.writePassword(ctx, &row, hash, activity.UsersPasswordReset, uuid.Nil, func(tx *gorm.DB) error {
		before := row.PasswordHash
		if err := manageable(tx); err != nil { // hashing took time, in which the user may have got another role, entity or password
			return err
		}
		if row.PasswordHash != before {
			return ErrInvalidCredentials
		}
		return s.credentialsGiven(tx, id, by)
	})
}

// writePassword replaces the row's password and ends the user's sessions but one, unless another change of the password came first.
// first runs at the start of the transaction.
func (s *Service) writePassword(
	ctx context.Context, row *models.User, hash string, action activity.Action, keep uuid.UUID,
	first func(tx *gorm.DB) error,
) error {
	var ended []uuid.UUID
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := first(tx); err != nil {
			return err
		}
		now := s.clock.Now()
		written := tx.Model(&models.User{}).Where("id = ? AND password_hash = ? AND deleted_at IS NULL", row.ID, row.PasswordHash).
			UpdateColumns(map[string]any{"password_hash": hash, "password_changed_at": now, "updated_at": now})
		if written.Error != nil {
			return written.Error
		}
		if written.RowsAffected == 0 {
			return ErrInvalidCredentials
		}
		var err error
		if ended, err = s.endUserSessions(tx, row.ID, endPassword, keep); err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{Action: action, EntityID: row.EntityID, Target: row.ID.String()})
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
		if name != nil && folded(password) == folded(*name) {
			return "", ErrWeakPassword
		}
	}
	return s.passwords.hash(ctx, password, s.options.BcryptCost)
}
