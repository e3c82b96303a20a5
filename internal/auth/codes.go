package auth

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// Bounds of one-time codes.
const (
	codeTTL     = 5 * time.Minute
	codePause   = time.Minute // between two codes of a user
	codeModulus = 1_000_000   // six digits

	// Wrong codes after which a code is void, of all sources together. Unknown ones reach the lower bound only, so they cannot void
	// a code for known clients. The throttle bounds what one source may try.
	codeFailures      = 50
	codeFailuresKnown = 500
)

// CodeRecipient is whom a one-time code is sent to.
type CodeRecipient struct {
	EntityID uuid.UUID
	Phone    string // E.164
}

// SentCode is a one-time code that is sent.
type SentCode struct {
	CodeRecipient

	Digits  string
	Minutes int // for which it is valid
}

// RequestCode sends a one-time code to the user of a name whose login method is a code. The answer is the same
// whether such a user exists and whether a code was sent a moment ago. Errors: ErrLoginName, ErrTooManyLogins.
func (s *Service) RequestCode(ctx context.Context, c Credentials, from Client) error {
	defer s.onStep(ctx, clock.System{}.Now())
	name, err := c.name()
	if err != nil && !errors.Is(err, ErrInvalidCredentials) { // an unknown name is answered like a known one
		return err
	}
	user, err := s.findByName(ctx, name)
	if err != nil {
		return err
	}
	tally := s.throttle.begin()
	o := s.origin(ctx, tally, &user, name, from)
	reported, silent := s.throttle.codeRequests(&o)
	for _, c := range reported {
		if err := tally.admit(ctx, c); err != nil {
			return err
		}
	}
	return s.sendTo(ctx, tally, &user, o.known, silent...)
}

// RequestOwnCode sends a one-time code to the logged-in caller, to confirm with. As with RequestCode, the answer does
// not reveal whether one was sent.
func (s *Service) RequestOwnCode(ctx context.Context, by caller.Caller) error {
	var user models.User
	if err := s.db.WithContext(ctx).Where("id = ?", by.UserID).Take(&user).Error; err != nil {
		return fmt.Errorf("request code: %w", err)
	}
	return s.sendTo(ctx, s.throttle.begin(), &user, true, s.throttle.ownCodes(&by))
}

// sendTo issues a code to a user whose login method is a code, if the counts, the source's first, admit it.
func (s *Service) sendTo(ctx context.Context, tally *tally, user *models.User, known bool, attempts ...count) error {
	able := user.Status == models.StatusActive && user.AuthMethod == models.AuthWhatsApp && user.Phone != nil
	admitted := tally.admit(ctx, attempts...) == nil // of an unknown user, too, so that both make the same calls
	if able && admitted {
		return s.issueCode(ctx, user.ID, attempts[0].key, known)
	}
	return nil
}

// issueCode replaces the user's code and asks for its message in the same transaction. It is a no-op while the code is new, or
// while it is valid and an unknown source asks that did not request it.
func (s *Service) issueCode(ctx context.Context, userID uuid.UUID, askedBy string, known bool) error {
	now, id := s.clock.Now(), uuid.Must(uuid.NewV7()) // the message's, in the order of the log
	task, err := outbox.NewRow(tasks.CodeSend{MessageID: id})
	if err != nil {
		return err
	}
	err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		replaces := gorm.Expr("one_time_codes.sent_at <= ? AND (? OR one_time_codes.asked_by = ? OR one_time_codes.expires_at <= ?)", now.Add(-codePause), known, askedBy, now)
		written := tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "user_id"}},
			DoUpdates: clause.AssignmentColumns([]string{"message_id", "expires_at", "failures", "sent_at", "asked_by"}),
			Where:     clause.Where{Exprs: []clause.Expression{replaces}},
		}).Create(&models.OneTimeCode{UserID: userID, MessageID: id, ExpiresAt: now.Add(codeTTL), SentAt: now, AskedBy: askedBy})
		if written.Error != nil || written.RowsAffected == 0 {
			return written.Error
		}
		return outbox.EnqueueGormTx(tx, task)
	})
	if err != nil {
		return fmt.Errorf("issue code: %w", err)
	}
	s.options.Wake()
	return nil
}

// CodeRecipient returns whom the code of a message goes to. Errors: ErrCodeGone.
func (s *Service) CodeRecipient(ctx context.Context, messageID uuid.UUID) (CodeRecipient, error) {
	var list []CodeRecipient
	err := s.db.WithContext(ctx).Table("one_time_codes c").Select("u.entity_id, u.phone").Joins("JOIN users u ON u.id = c.user_id").
		Where("c.message_id = ? AND c.expires_at > ? AND u.phone IS NOT NULL AND u.status = 'active'", messageID, s.clock.Now()).Scan(&list).Error
	if err != nil {
		return CodeRecipient{}, fmt.Errorf("code recipient: %w", err)
	}
	if len(list) == 0 {
		return CodeRecipient{}, ErrCodeGone
	}
	return list[0], nil
}

// SentCode returns the code of a message, which is stored nowhere. Errors: ErrCodeGone.
func (s *Service) SentCode(ctx context.Context, messageID uuid.UUID) (SentCode, error) {
	to, err := s.CodeRecipient(ctx, messageID)
	if err != nil {
		return SentCode{}, err
	}
	return SentCode{CodeRecipient: to, Digits: s.code(messageID), Minutes: int(codeTTL / time.Minute)}, nil
}

// code computes the code of a message from the service's secret.
func (s *Service) code(messageID uuid.UUID) string {
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac(s.codeKey, messageID[:]))%codeModulus)
}

// matchCode returns the message of the user's valid code if the given code equals it, else uuid.Nil; a wrong code is
// counted. It does not void the code, because the TOTP code may be missing or wrong: see voidCode.
func (s *Service) matchCode(ctx context.Context, userID uuid.UUID, code string, known bool) (uuid.UUID, error) {
	bound := codeFailures
	if known {
		bound = codeFailuresKnown
	}
	var matched uuid.UUID
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var rows []models.OneTimeCode
		err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).
			Where("user_id = ? AND expires_at > ? AND failures < ?", userID, s.clock.Now(), bound).Find(&rows).Error
		if err != nil || len(rows) == 0 {
			return err
		}
		if subtle.ConstantTimeCompare([]byte(s.code(rows[0].MessageID)), []byte(code)) == 1 {
			matched = rows[0].MessageID
			return nil
		}
		return tx.Model(&models.OneTimeCode{UserID: userID}).UpdateColumn("failures", gorm.Expr("failures + 1")).Error
	})
	if err != nil {
		return uuid.Nil, fmt.Errorf("match code: %w", err)
	}
	return matched, nil
}

// voidCode uses a matched code up and reports whether this call did: of parallel ones one does. The row is kept, so that the
// next code still has to wait.
func (s *Service) voidCode(ctx context.Context, message uuid.UUID) (bool, error) {
	voided := s.db.WithContext(ctx).Model(&models.OneTimeCode{}).Where("message_id = ? AND expires_at > ?", message, s.clock.Now()).
		UpdateColumn("expires_at", gorm.Expr("sent_at"))
	if voided.Error != nil {
		return false, fmt.Errorf("void code: %w", voided.Error)
	}
	return voided.RowsAffected == 1, nil
}
