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

// passwords compares passwords with hashes. Each comparison takes a core a quarter of a second, so only a few run at
// a time: a flood of logins must not starve the sales. One more is reserved for known clients and logged-in users, so
// that a flood from unknown networks does not delay them either.
type passwords struct {
	dummy []byte
	turns chan struct{}
	known chan struct{}
}

func newPasswords(cost int) (*passwords, error) {
	dummy, err := bcrypt.GenerateFromPassword([]byte(rand.Text()), cost)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	return &passwords{dummy: dummy, turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), known: make(chan struct{}, 1)}, nil
}

// match reports whether the password belongs to the hash. An empty hash, of a user that does not exist, takes the
// same time and never matches. known marks a known client. Errors: ErrBusy, the context's.
func (p *passwords) match(ctx context.Context, hash, password string, known bool) (bool, error) {
	done, err := p.wait(ctx, known)
	if err != nil {
		return false, err
	}
	defer done()
	compared := []byte(hash)
	if _, err := bcrypt.Cost(compared); err != nil {
		compared, hash = p.dummy, ""
	}
	tooLong := len(password) > maxPassword // bcrypt would compare its beginning
	err = bcrypt.CompareHashAndPassword(compared, []byte(password[:min(len(password), maxPassword)]))
	return err == nil && hash != "" && !tooLong, nil
}

// wait returns when a comparison may run, and the function that ends it.
func (p *passwords) wait(ctx context.Context, known bool) (func(), error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hashWait, ErrBusy)
	defer cancel()
	var reserved chan struct{} // nil is never ready
	if known {
		reserved = p.known
	}
	select {
	case p.turns <- struct{}{}:
		return func() { <-p.turns }, nil
	case reserved <- struct{}{}:
		return func() { <-p.known }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// hash is HashPassword in its turn.
func (p *passwords) hash(ctx context.Context, password string, cost int) (string, error) {
	done, err := p.wait(ctx, true)
	if err != nil {
		return "", err
	}
	defer done()
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
