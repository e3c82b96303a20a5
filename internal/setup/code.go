package setup

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/auth"
	"banca/internal/platform/ratelimit"
)

// Errors of the one-time code.
var (
	ErrCode        = errors.New("setup: the code is not the one that the last start printed")
	ErrManyGuesses = errors.New("setup: too many wrong codes")
)

// Bounds of wrong codes: of one address, and of all together.
const (
	guessWindow   = 15 * time.Minute
	guessesEach   = 10
	guessesOfAll  = 300
	codeHalf      = 4
	codeAlphabet  = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789" // 32 letters and digits, of which none looks like another
	guessesPrefix = "setup:guesses:"
)

// NewCode makes the one-time code of the page and returns it as ABCD-EFGH. It replaces the earlier one, in every
// process. Errors: auth.ErrHasUsers.
func (s *Service) NewCode(ctx context.Context) (string, error) {
	if needed, err := s.Needed(ctx); err != nil {
		return "", err
	} else if !needed {
		return "", auth.ErrHasUsers
	}
	raw := make([]byte, 2*codeHalf)
	_, _ = rand.Read(raw) // never fails
	for i := range raw {
		raw[i] = codeAlphabet[int(raw[i])%len(codeAlphabet)]
	}
	code := string(raw[:codeHalf]) + "-" + string(raw[codeHalf:])
	hash := hashCode(code)
	_, err := s.PG.Pool.Exec(ctx, `INSERT INTO first_setup (code_hash, code_at) VALUES ($1, clock_timestamp())
		ON CONFLICT (one) DO UPDATE SET code_hash = excluded.code_hash, code_at = excluded.code_at`, hash[:])
	if err != nil {
		return "", fmt.Errorf("store the setup code: %w", err)
	}
	return code, nil
}

// CheckCode compares a typed code. from is the address of the client, by which wrong codes are counted. Errors:
// auth.ErrHasUsers, ErrCode, ErrManyGuesses.
func (s *Service) CheckCode(ctx context.Context, typed, from string) error {
	if needed, err := s.Needed(ctx); err != nil {
		return err
	} else if !needed {
		return auth.ErrHasUsers
	}
	var stored []byte
	var done bool // by another request since
	err := s.PG.Pool.QueryRow(ctx, `SELECT code_hash, done_at IS NOT NULL FROM first_setup`).Scan(&stored, &done)
	switch {
	case err != nil && !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("read the setup code: %w", err)
	case done:
		return auth.ErrHasUsers
	}
	hash := hashCode(typed)
	right := len(stored) == len(hash) && subtle.ConstantTimeCompare(stored, hash[:]) == 1
	wait, err := s.Guesses.Count(ctx, right, subjects(from)...)
	switch {
	case err != nil:
		return err
	case wait > 0:
		return ErrManyGuesses
	case !right:
		return ErrCode
	}
	return nil
}

// subjects are what wrong codes are counted for, the narrowest first.
func subjects(from string) []ratelimit.Subject {
	return []ratelimit.Subject{
		{Key: guessesPrefix + from, Wrong: guessesEach, Window: guessWindow},
		{Key: guessesPrefix + "all", Wrong: guessesOfAll, Window: guessWindow},
	}
}

// hashCode hashes a code as a person may type it: in lower case, with spaces or without the dash.
func hashCode(code string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToUpper(code))))
}
