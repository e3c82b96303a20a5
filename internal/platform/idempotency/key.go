package idempotency

import (
	"bytes"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
)

// Errors of every operation that takes an Idempotency-Key.
var (
	ErrInvalidKey = apperr.New(
		apperr.Malformed, "INVALID_IDEMPOTENCY_KEY", "Idempotency-Key must be 1 to 200 printable characters",
	)
	ErrKeyReused = apperr.New(
		apperr.Conflict, "IDEMPOTENCY_KEY_REUSED", "this Idempotency-Key was used for another request",
	)
	ErrUnknownOutcome = apperr.New(apperr.Unavailable, "OUTCOME_UNKNOWN", "the connection was lost while this was being written; repeat it with the same Idempotency-Key").WithRetryAfter(time.Second)
)

const maxKeyLength = 200

// KeyOf derives the stored id of a client's Idempotency-Key in the scope of an entity: one UUID, because a unique
// index on one column keeps its plan under load. The Nil id stands for no key. Errors: ErrInvalidKey.
func KeyOf(entity uuid.UUID, text string) (uuid.UUID, error) {
	if text == "" {
		return uuid.Nil, nil
	}
	if len(text) > maxKeyLength || strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return uuid.Nil, ErrInvalidKey
	}
	return uuid.NewSHA1(entity, []byte(text)), nil
}

// Compare returns ErrKeyReused unless the meaning stored with a key equals the request's.
func Compare(stored []byte, m Meaning) error {
	if !bytes.Equal(stored, m[:]) {
		return ErrKeyReused
	}
	return nil
}

// Locks lets one request at a time use a key within a process, so that the others find its answer instead of
// competing with it for limits and balance. The zero value is ready.
type Locks struct {
	mu   sync.Mutex
	held map[uuid.UUID]*keyLock
}

type keyLock struct {
	sync.Mutex

	users int
}

// Lock waits for a key and returns the function that releases it. The Nil key is never locked.
func (l *Locks) Lock(key uuid.UUID) (unlock func()) {
	if key == uuid.Nil {
		return func() {}
	}
	l.mu.Lock()
	if l.held == nil {
		l.held = make(map[uuid.UUID]*keyLock)
	}
	k := l.held[key]
	if k == nil {
		k = &keyLock{}
		l.held[key] = k
	}
	k.users++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(l.held, key)
		}
	}
}
