package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/platform/caller"
	"banca/models"
)

// A PIN logs a cashier in with the one browser where the cashier has set it. It is never a confirmation of the password. It
// is bound to the client token of an earlier login with that browser, which another browser does not have and a change of
// the password voids.
const (
	pinMin, pinMax = 4, 8
	pinTries       = 5  // wrong PINs in a row; then the PIN is gone
	pinsKept       = 20 // of a user; a further browser replaces the oldest
)

// Errors of PINs, which pages only answer.
var (
	ErrWrongPIN      = errors.New("the PIN is wrong")
	ErrPINGone       = errors.New("there is no such PIN on this browser: log in with the password")
	ErrPINNotAllowed = errors.New("a PIN is for cashiers without an authenticator program, on a browser where they have logged in")
	ErrWeakPIN       = errors.New("a PIN has 4 to 8 digits, not all equal and no run")
)

// Person is a user who can log in by a PIN.
type Person struct {
	ID   uuid.UUID
	Name string
}

// SetPIN gives the caller a PIN on the browser that holds one of the client tokens. The password confirms it. Errors:
// ErrPINNotAllowed, ErrWeakPIN, and of Confirm.
func (s *Service) SetPIN(ctx context.Context, by caller.Caller, password, pin string, tokens []string) error {
	if weakPIN(pin) {
		return ErrWeakPIN
	}
	row, client, err := s.pinHolder(ctx, by.UserID, tokens)
	if err != nil {
		return err
	}
	if client == "" {
		return ErrPINNotAllowed
	}
	if _, err := s.Confirm(ctx, by, password, ""); err != nil {
		return err
	}
	hash, err := s.passwords.hash(ctx, s.pinText(row.ID, client, pin), s.options.BcryptCost)
	if err != nil {
		return err
	}
	return s.pg.InTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO user_pins (user_id, client_hash, pin_hash, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (user_id, client_hash) DO UPDATE SET pin_hash = excluded.pin_hash, tries = 0, created_at = excluded.created_at`,
			row.ID, client, hash, s.clock.Now())
		if err != nil {
			return fmt.Errorf("set PIN: %w", err)
		}
		_, err = tx.Exec(ctx, `DELETE FROM user_pins WHERE user_id = $1 AND client_hash IN (
			SELECT client_hash FROM user_pins WHERE user_id = $1 ORDER BY created_at DESC OFFSET $2)`, row.ID, pinsKept)
		if err != nil {
			return fmt.Errorf("forget PINs: %w", err)
		}
		return activity.RecordPgxTx(ctx, tx, activity.Entry{Action: activity.AuthPIN, EntityID: row.EntityID, Target: row.ID.String()})
	})
}

// People returns the users who can log in by a PIN on the browser that holds the client tokens, in their order.
func (s *Service) People(ctx context.Context, tokens []string) ([]Person, error) {
	var people []Person
	for _, id := range holders(tokens) {
		row, client, err := s.pinHolder(ctx, id, tokens)
		if err != nil {
			return nil, err
		}
		var has bool
		err = s.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM user_pins WHERE user_id = $1 AND client_hash = $2)`, id, client).Scan(&has)
		if err != nil {
			return nil, fmt.Errorf("read PINs: %w", err)
		}
		if has {
			people = append(people, Person{ID: row.ID, Name: row.Name})
		}
	}
	return people, nil
}

// LoginPIN opens a session of a browser by the PIN that its user has set there. The session is not confirmed: what asks for
// the password asks for it. Errors: ErrWrongPIN, ErrPINGone, ErrBusy.
func (s *Service) LoginPIN(ctx context.Context, id uuid.UUID, pin string, from Client) (BrowserTokens, User, error) {
	row, client, err := s.pinHolder(ctx, id, from.Tokens)
	if err != nil {
		return BrowserTokens{}, User{}, err
	}
	if err := s.checkPIN(ctx, row.ID, client, pin); err != nil {
		return BrowserTokens{}, User{}, err
	}
	sessionID := uuid.Must(uuid.NewV7())
	token, hash := s.browser.issue(sessionID)
	if err := s.openSession(ctx, row, &newSession{id: sessionID, hash: hash, browser: true}, from); err != nil {
		return BrowserTokens{}, User{}, err
	}
	return BrowserTokens{Session: token, Client: s.clientToken(row, from.Tokens)}, userOf(row), nil
}

// checkPIN counts an attempt before it compares, so that parallel ones are not free, and forgets the attempts after the
// right PIN. The last wrong one deletes the PIN.
func (s *Service) checkPIN(ctx context.Context, user uuid.UUID, client, pin string) error {
	var hash string
	var tries int
	err := s.pg.Pool.QueryRow(ctx, `UPDATE user_pins SET tries = tries + 1 WHERE user_id = $1 AND client_hash = $2 AND tries < $3
		RETURNING pin_hash, tries`, user, client, pinTries).Scan(&hash, &tries)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrPINGone
	}
	if err != nil {
		return fmt.Errorf("count PIN: %w", err)
	}
	right, err := s.passwords.match(ctx, hash, s.pinText(user, client, pin), true)
	if err != nil {
		return err
	}
	after, answer := `UPDATE user_pins SET tries = 0 WHERE user_id = $1 AND client_hash = $2 AND pin_hash = $3`, error(nil)
	if !right {
		after, answer = `DELETE FROM user_pins WHERE user_id = $1 AND client_hash = $2 AND pin_hash = $3 AND tries >= `+strconv.Itoa(pinTries), ErrWrongPIN
		if tries >= pinTries {
			answer = ErrPINGone
		}
	}
	if _, err := s.pg.Pool.Exec(ctx, after, user, client, hash); err != nil {
		return fmt.Errorf("forget PIN attempts: %w", err)
	}
	return answer
}

// pinHolder returns an active cashier with the hash of the user's client token; the hash is "" where there is no such user, no
// token, or a second factor, which a PIN would bypass.
func (s *Service) pinHolder(ctx context.Context, id uuid.UUID, tokens []string) (*models.User, string, error) {
	var row models.User
	err := s.db.WithContext(ctx).Where("id = ? AND deleted_at IS NULL AND status = 'active' AND role = ? AND totp_enabled_at IS NULL", id, models.RoleTaquilla).
		Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return &row, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("read user: %w", err)
	}
	token := s.knownClient(&row, tokens)
	if token == "" {
		return &row, "", nil
	}
	return &row, hashToken(token), nil
}

// holders are the users whom client tokens name, which nothing has verified.
func holders(tokens []string) []uuid.UUID {
	var ids []uuid.UUID
	for _, token := range tokens[:min(len(tokens), maxClientTokens)] {
		name, _, _ := strings.Cut(token, ".")
		if id, err := uuid.Parse(name); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// pinText is what is hashed of a PIN. Without the secret of the service a copy of the database does not show it, however few
// PINs there are.
func (s *Service) pinText(user uuid.UUID, client, pin string) string {
	return hex.EncodeToString(mac(s.pinKey, user[:], []byte(client), []byte{0}, []byte(pin)))
}

// weakPIN reports whether a PIN is no row of digits, or one that is guessed first: equal digits, or a run.
func weakPIN(pin string) bool {
	if len(pin) < pinMin || len(pin) > pinMax || strings.Trim(pin, "0123456789") != "" {
		return true
	}
	step := int(pin[1]) - int(pin[0])
	if step < -1 || step > 1 {
		return false
	}
	for i := 1; i < len(pin); i++ {
		if int(pin[i])-int(pin[i-1]) != step {
			return false
		}
	}
	return true
}
