package bank

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/secrets"
	"banca/storage"
)

// Slots of tokens. During a rotation the next token is accepted, too.
const (
	SlotCurrent = "current"
	SlotNext    = "next"
)

// tokens are the accepted tokens, by their hashes.
type tokens struct {
	slots  []slot               // of the configuration
	stored atomic.Pointer[slot] // where the configuration has none; nil for none

	mu   sync.Mutex
	used map[[sha256.Size]byte]time.Time // not yet written
}

type slot struct {
	name   string
	hash   [sha256.Size]byte
	masked string
}

// newTokens returns the slots of the tokens that are not empty.
func newTokens(current, next string) *tokens {
	t := &tokens{used: make(map[[sha256.Size]byte]time.Time)}
	for _, s := range []struct{ name, token string }{{SlotCurrent, current}, {SlotNext, next}} {
		if s.token != "" {
			t.slots = append(t.slots, slot{name: s.name, hash: hashToken(s.token), masked: "••••" + secrets.Tail(s.token)})
		}
	}
	return t
}

// accepted are the slots of the configuration, or the stored one.
func (t *tokens) accepted() []slot {
	if stored := t.stored.Load(); stored != nil && len(t.slots) == 0 {
		return []slot{*stored}
	}
	return t.slots
}

// hashToken hashes a token in lower case, because the hexadecimal digits of a UUID may be written in upper case.
func hashToken(token string) [sha256.Size]byte { return sha256.Sum256([]byte(strings.ToLower(token))) }

// match returns the slot of the token in headers, which must be exactly one header. It compares the hashes of all slots
// in constant time.
func (t *tokens) match(headers []string, at time.Time) (name string, ok bool) {
	if len(headers) != 1 {
		return "", false
	}
	sent := hashToken(headers[0])
	var found [sha256.Size]byte
	for _, s := range t.accepted() {
		if subtle.ConstantTimeCompare(sent[:], s.hash[:]) == 1 && !ok {
			name, found, ok = s.name, s.hash, true
		}
	}
	if ok {
		t.mu.Lock()
		t.used[found] = at
		t.mu.Unlock()
	}
	return name, ok
}

// flush writes the last use of each token. A use stays in t.used until it is written, so that lastUsed sees it.
func (t *tokens) flush(ctx context.Context, pg *storage.Postgres) error {
	t.mu.Lock()
	used := maps.Clone(t.used)
	t.mu.Unlock()
	b := &pgx.Batch{}
	for hash, at := range used {
		b.Queue(`INSERT INTO bank_tokens (token_hash, first_used_at, last_used_at) VALUES ($1, $2, $2)
			ON CONFLICT (token_hash) DO UPDATE SET last_used_at = greatest(bank_tokens.last_used_at, excluded.last_used_at)`, hash[:], at)
	}
	if b.Len() == 0 {
		return nil
	}
	if err := pg.Pool.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for hash, at := range used {
		if t.used[hash].Equal(at) { // otherwise the token was used again during the write
			delete(t.used, hash)
		}
	}
	return nil
}

// lastUsed returns the last use of each slot's token. It reads pending uses before the table, so that a concurrent
// flush hides none.
func (t *tokens) lastUsed(ctx context.Context, pg *storage.Postgres) (map[string]time.Time, error) {
	slots := t.accepted()
	uses := make(map[string]time.Time, len(slots))
	for _, s := range slots {
		t.mu.Lock()
		pending, ok := t.used[s.hash]
		t.mu.Unlock()
		var written *time.Time
		if err := pg.Pool.QueryRow(ctx, `SELECT max(last_used_at) FROM bank_tokens WHERE token_hash = $1`, s.hash[:]).Scan(&written); err != nil {
			return nil, err
		}
		if written != nil {
			uses[s.name] = written.UTC()
		}
		if ok && pending.After(uses[s.name]) {
			uses[s.name] = pending
		}
	}
	return uses, nil
}
