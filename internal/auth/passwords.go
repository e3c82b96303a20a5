package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// Bounds of a password; bcrypt reads no more than the upper one.
const (
	minPassword = 8
	maxPassword = 72
)

// hashWait is how long a login waits for its turn.
const hashWait = 5 * time.Second

// passwords compares passwords with hashes. Each comparison costs a core a quarter of a second, so
// only some run at a time: a flood of logins must not take the machine from the sales.
type passwords struct {
	dummy []byte
	turns chan struct{}
}

func newPasswords(cost int) (*passwords, error) {
	dummy, err := bcrypt.GenerateFromPassword([]byte(rand.Text()), cost)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	return &passwords{dummy: dummy, turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}, nil
}

// match reports whether the password belongs to the hash. An empty hash, of a user that does not
// exist, takes the same time and never matches. Errors: ErrBusy, the context's.
func (p *passwords) match(ctx context.Context, hash, password string) (bool, error) {
	if err := p.wait(ctx); err != nil {
		return false, err
	}
	defer func() { <-p.turns }()
	compared := []byte(hash)
	if _, err := bcrypt.Cost(compared); err != nil {
		compared, hash = p.dummy, ""
	}
	tooLong := len(password) > maxPassword // bcrypt would compare its beginning
	err := bcrypt.CompareHashAndPassword(compared, []byte(password[:min(len(password), maxPassword)]))
	return err == nil && hash != "" && !tooLong, nil
}

func (p *passwords) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, hashWait, ErrBusy)
	defer cancel()
	select {
	case p.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hash is HashPassword in its turn.
func (p *passwords) hash(ctx context.Context, password string, cost int) (string, error) {
	if err := p.wait(ctx); err != nil {
		return "", err
	}
	defer func() { <-p.turns }()
	return HashPassword(password, cost)
}

// HashPassword returns the bcrypt hash of a new password. Errors: ErrWeakPassword.
func HashPassword(password string, cost int) (string, error) {
	if len(password) < minPassword || len(password) > maxPassword {
		return "", ErrWeakPassword
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	if errors.Is(err, bcrypt.ErrPasswordTooLong) {
		return "", ErrWeakPassword
	}
	return string(hash), err
}
