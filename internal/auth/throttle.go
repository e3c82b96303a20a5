package auth

import (
	"context"
	"encoding/hex"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/clientaddr"
	"banca/internal/clock"
)

// What may be tried before waiting begins, and how long it grows; what was tried is forgotten after throttleMemory.
const (
	accountTries   = 5
	accountWait    = time.Minute
	addressTries   = 30
	addressWait    = 15 * time.Minute
	codeTries      = 3
	codeWait       = 15 * time.Minute
	throttleMemory = 15 * time.Minute
	throttleGrain  = time.Second // the first wait; each further one is twice as long
)

// throttle slows down who tries again and again, in all processes together. Every attempt counts before it is made, so
// that a hundred at once are not free, and one that succeeds is taken back. Without Redis nobody is slowed, but
// passwords are still compared only a few at a time.
type throttle struct {
	redis redis.UniversalClient
	clock clock.Clock
	key   []byte // names are not kept in the clear
}

// subject is what attempts are counted for.
type subject struct {
	key   string
	tries int
	wait  time.Duration // the longest
}

// admitScript counts an attempt unless one must wait, and returns the milliseconds left to wait.
//
//nolint:gochecknoglobals // a constant in all but name
var admitScript = redis.NewScript(`
local till = tonumber(redis.call('HGET', KEYS[1], 'till') or '0')
local now = tonumber(ARGV[1])
if till > now then return till - now end
local over = redis.call('HINCRBY', KEYS[1], 'n', 1) - tonumber(ARGV[2])
if over > 0 then
	redis.call('HSET', KEYS[1], 'till', now + math.min(tonumber(ARGV[3]) * 2 ^ math.min(over - 1, 30), tonumber(ARGV[4])))
end
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 0`)

// admit counts an attempt of a subject. Errors: ErrTooManyLogins, which says how long to wait.
func (t *throttle) admit(ctx context.Context, s subject) error {
	if s.key == "" {
		return nil
	}
	left, err := admitScript.Run(ctx, t.redis, []string{s.key},
		t.clock.Now().UnixMilli(), s.tries, throttleGrain.Milliseconds(), s.wait.Milliseconds(), max(throttleMemory, s.wait).Milliseconds()).Int64()
	if err == nil && left > 0 { // see throttle: without Redis nobody is slowed
		return ErrTooManyLogins.WithRetryAfter(time.Duration(left) * time.Millisecond)
	}
	return nil
}

// allows is admit for who is not told how long to wait.
func (t *throttle) allows(ctx context.Context, s subject) bool { return t.admit(ctx, s) == nil }

// succeeded forgets what an account tried, and takes back one attempt of the address.
func (t *throttle) succeeded(ctx context.Context, account, address subject) {
	if account.key != "" {
		t.redis.Del(ctx, account.key)
	}
	if address.key != "" {
		t.redis.HIncrBy(ctx, address.key, "n", -1)
	}
}

// account is the subject of a user's passwords and codes; an unknown name has one, too, so that nothing tells them apart.
func (t *throttle) account(id uuid.UUID, name string) subject {
	if id != uuid.Nil {
		name = id.String()
	}
	return subject{t.name("account", name), accountTries, accountWait}
}

// signedIn is the subject of what a session's user proves again. Strangers' attempts at the account's login do not
// count here, so nobody can keep a user from confirming.
func (t *throttle) signedIn(id uuid.UUID) subject {
	return subject{t.name("signed in", id.String()), accountTries, accountWait}
}

// address is the subject of what comes from one place; without an address there is none. An IPv6 client owns a /64.
func (t *throttle) address(text string) subject {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return subject{}
	}
	text = clientaddr.Network(addr, clientaddr.SubscriberBits).String()
	return subject{t.name("address", text), addressTries, addressWait}
}

// codes is the subject of the codes that are sent to a user.
func (t *throttle) codes(id uuid.UUID) subject {
	return subject{t.name("codes", id.String()), codeTries, codeWait}
}

func (t *throttle) name(kind, text string) string {
	return "auth:tries:" + kind + ":" + hex.EncodeToString(mac(t.key, []byte(kind), []byte{0}, []byte(text))[:16])
}
