package auth

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// TOTP as authenticator programs expect it (RFC 6238): SHA-1, six digits, half a minute, one step of tolerance.
const (
	totpPeriod = 30
	totpSkew   = 1
)

// TOTPKey is a new secret for an authenticator program.
type TOTPKey struct {
	Secret string // base32, to type in
	URL    string // otpauth://, to show as a QR code
}

// StartTOTP makes a new secret for the user, which takes effect when EnableTOTP proves that it arrived. Errors:
// ErrTOTPEnabled.
func (s *Service) StartTOTP(ctx context.Context, by caller.Caller) (TOTPKey, error) {
	me, err := s.Me(ctx, by)
	if err != nil {
		return TOTPKey{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: cmp.Or(me.Email, me.Identifier, me.Phone, me.Name), Period: totpPeriod})
	if err != nil {
		return TOTPKey{}, fmt.Errorf("totp: %w", err)
	}
	sealed, err := s.seal(by.UserID, key.Secret())
	if err != nil {
		return TOTPKey{}, err
	}
	written := s.db.WithContext(ctx).Model(&models.User{}).Where("id = ? AND totp_enabled_at IS NULL", by.UserID).UpdateColumn("totp_secret", sealed)
	if written.Error != nil {
		return TOTPKey{}, fmt.Errorf("totp: %w", written.Error)
	}
	if written.RowsAffected == 0 {
		return TOTPKey{}, ErrTOTPEnabled
	}
	return TOTPKey{Secret: key.Secret(), URL: key.URL()}, nil
}

// EnableTOTP asks for a code at each login from now on. Errors: ErrTOTPEnabled, ErrTOTPNotStarted,
// ErrInvalidCredentials, ErrTooManyLogins.
func (s *Service) EnableTOTP(ctx context.Context, by caller.Caller, code string) error {
	attempts := s.throttle.signedIn(&by)
	tally := s.throttle.begin()
	if err := tally.admit(ctx, attempts); err != nil {
		return err
	}
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		row, err := lockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		switch {
		case row.TOTPEnabledAt != nil:
			return ErrTOTPEnabled
		case row.TOTPSecret == nil:
			return ErrTOTPNotStarted
		}
		step, ok := s.matchTOTP(&row, code)
		if !ok {
			return ErrInvalidCredentials
		}
		err = tx.Model(&models.User{ID: by.UserID}).UpdateColumns(map[string]any{"totp_enabled_at": s.clock.Now(), "totp_last_step": step}).Error
		if err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.AuthTOTPEnable, EntityID: by.EntityID, Target: by.UserID.String(),
		})
	})
	if err == nil {
		tally.succeeded(ctx, attempts)
	}
	return err
}

// DisableTOTP removes the caller's TOTP, or, for a caller that manages users, the TOTP of a user who lost the
// authenticator. Errors: ErrUserNotFound, ErrUserAbove.
func (s *Service) DisableTOTP(ctx context.Context, by caller.Caller, userID uuid.UUID) error {
	return s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		entity := by.EntityID
		if userID != by.UserID {
			target, err := s.manageable(tx, by, userID)
			if err != nil {
				return err
			}
			entity = target.EntityID
		}
		err := tx.Model(&models.User{}).Where("id = ?", userID).UpdateColumns(map[string]any{"totp_secret": nil, "totp_enabled_at": nil}).Error
		if err != nil {
			return err
		}
		return activity.RecordTx(ctx, tx, activity.Entry{
			Action: activity.AuthTOTPDisable, EntityID: entity, Target: userID.String(),
		})
	})
}

// useTOTP reports whether a code is the user's and was not used before, and notes it.
func (s *Service) useTOTP(ctx context.Context, row *models.User, code string) (bool, error) {
	step, ok := s.matchTOTP(row, code)
	if !ok {
		return false, nil
	}
	noted := s.db.WithContext(ctx).Model(&models.User{}).Where("id = ? AND totp_last_step < ?", row.ID, step).UpdateColumn("totp_last_step", step)
	if noted.Error != nil {
		return false, fmt.Errorf("totp: %w", noted.Error)
	}
	return noted.RowsAffected == 1, nil
}

// matchTOTP returns the step of the given code if it is later than the last used one.
func (s *Service) matchTOTP(row *models.User, code string) (int64, bool) {
	secret, err := s.open(row.ID, row.TOTPSecret)
	if err != nil {
		return 0, false
	}
	now := s.clock.Now().Unix() / totpPeriod
	for step := now - totpSkew; step <= now+totpSkew; step++ {
		ok, err := totp.ValidateCustom(strings.TrimSpace(code), secret, time.Unix(step*totpPeriod, 0), totp.ValidateOpts{
			Period: totpPeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
		})
		if err == nil && ok && step > row.TOTPLastStep {
			return step, true
		}
	}
	return 0, false
}

// seal encrypts a user's secret; open is its inverse. The user's id is authenticated with it, so that a secret copied
// to another row is invalid.
func (s *Service) seal(userID uuid.UUID, secret string) ([]byte, error) {
	aead, err := s.totpCipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(secret)+aead.Overhead())
	_, _ = rand.Read(nonce) // never fails, see its documentation
	return aead.Seal(nonce, nonce, []byte(secret), userID[:]), nil
}

func (s *Service) open(userID uuid.UUID, sealed []byte) (string, error) {
	aead, err := s.totpCipher()
	if err != nil {
		return "", err
	}
	if len(sealed) < aead.NonceSize() {
		return "", errors.New("totp: no secret")
	}
	secret, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], userID[:])
	return string(secret), err
}

func (s *Service) totpCipher() (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.totpKey)
	if err != nil {
		return nil, fmt.Errorf("totp: %w", err)
	}
	return cipher.NewGCM(block)
}
