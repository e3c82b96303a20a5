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
)

// confirmationTTL is how long a confirmed password opens the sensitive writes of a session (contract, section 7).
const confirmationTTL = 10 * time.Minute

// Confirm records that the session's user gave the password again, or a code sent by RequestCode, and returns until
// when the confirmation is valid. Errors: ErrInvalidCredentials, ErrTooManyLogins, ErrBusy.
func (s *Service) Confirm(ctx context.Context, by caller.Caller, password, code string) (time.Time, error) {
	if (password == "") == (code == "") {
		return time.Time{}, ErrPasswordRequired
	}
	attempts := s.throttle.signedIn(&by)
	tally := s.throttle.begin()
	if err := tally.admit(ctx, attempts); err != nil {
		return time.Time{}, err
	}
	var row models.User
	if err := s.db.WithContext(ctx).Where("id = ?", by.UserID).Take(&row).Error; err != nil {
		return time.Time{}, fmt.Errorf("confirm: %w", err)
	}
	row.TOTPEnabledAt = nil // the session proved that already
	if err := s.prove(ctx, &row, Credentials{Password: password, Code: code}, true); err != nil {
		return time.Time{}, err
	}
	tally.succeeded(ctx, attempts)
	now := s.clock.Now()
	err := s.db.WithContext(ctx).Model(&models.UserSession{}).Where("id = ? AND ended_at IS NULL", by.SessionID).UpdateColumn("confirmed_at", now).Error
	if err != nil {
		return time.Time{}, fmt.Errorf("confirm: %w", err)
	}
	return now.Add(confirmationTTL), nil
}

// Confirmed reports whether the session's user confirmed the password within the last minutes. It asks the database,
// because another process may have taken the confirmation. Errors: ErrConfirmationRequired.
func (s *Service) Confirmed(ctx context.Context, by caller.Caller) error {
	var row models.UserSession
	err := s.db.WithContext(ctx).Select("confirmed_at").Where("id = ? AND ended_at IS NULL", by.SessionID).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return ErrUnauthenticated
	case err != nil:
		return fmt.Errorf("confirmation: %w", err)
	case by.SessionID == uuid.Nil, row.ConfirmedAt == nil, !s.clock.Now().Before(row.ConfirmedAt.Add(confirmationTTL)):
		return ErrConfirmationRequired
	}
	return nil
}
