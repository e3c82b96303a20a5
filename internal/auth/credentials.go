package auth

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// trimBatch is how many rows of account_credentials one DELETE takes.
const trimBatch = 5_000

// credentialsGiven records that the caller gave another user's account its credentials: created it, reset its
// password or changed its phone. Every such caller is kept, because each of them may know the credentials;
// internal/draws reads the rows to tell two persons apart. It is a no-op for the caller's own account.
func (s *Service) credentialsGiven(tx *gorm.DB, userID uuid.UUID, by caller.Caller) error {
	if by.UserID == uuid.Nil || by.UserID == userID {
		return nil
	}
	return tx.Create(&models.AccountCredential{UserID: userID, GivenBy: by.UserID, GivenAt: s.clock.Now()}).Error
}

// waysChanged voids the user's one-time code after a change of the phone, the login method or the status, and records the caller of a
// change of the phone. A request that repeats the stored values changes neither.
func (s *Service) waysChanged(tx *gorm.DB, by caller.Caller, before, after *models.User) error {
	was, is := userOf(before), userOf(after)
	if was.Phone != is.Phone || was.AuthMethod != is.AuthMethod || was.Status != is.Status {
		if err := tx.Delete(&models.OneTimeCode{UserID: after.ID}).Error; err != nil {
			return err
		}
	}
	if was.Phone == is.Phone || is.Phone == "" { // without a phone no code reaches the caller
		return nil
	}
	return s.credentialsGiven(tx, after.ID, by)
}

// TrimCredentials deletes the rows of account_credentials that are older than Options.CredentialsKept and returns their number.
// Idempotent.
func (s *Service) TrimCredentials(ctx context.Context) (int64, error) {
	n, err := storage.Batched(ctx, s.pg.Pool, trimBatch, storage.Statement{
		SQL: `DELETE FROM account_credentials WHERE ctid IN (
			SELECT ctid FROM account_credentials WHERE given_at <= $1 LIMIT $2)`,
		Args: []any{s.clock.Now().Add(-s.options.CredentialsKept)},
	})
	if err != nil {
		return n, fmt.Errorf("trim credentials: %w", err)
	}
	return n, nil
}
