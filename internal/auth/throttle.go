package auth

import (
	"context"
	"encoding/hex"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/caller"
	"banca/internal/platform/clientaddr"
	"banca/internal/platform/clock"
)

// Bounds of attempts. Every count starts with its first attempt and is forgotten attemptWindow later.
const (
	attemptWindow = time.Hour
	firstWait     = time.Second // after the last free attempt; each further wait is twice as long, up to the count's longest
	shortWait     = time.Minute
	longWait      = 15 * time.Minute

	sourceTries  = 5   // of one account from one source
	siteTries    = 20  // of one account from the /48 of an unknown IPv6 network
	networkTries = 300 // from one unknown network, over all accounts; an IPv6 site has siteFactor as many
	accountTries = 100 // of one account from all unknown networks together
	siteFactor   = 4

	codeTries         = 3 // requests of one-time codes, counted as above
	codeSiteTries     = 6
	codeNetworkTries  = 100
	codeAccountTries  = 6
	knownNetworks     = 20 // per account; the one of the oldest login makes room
	knownNetworkTTL   = 90 * 24 * time.Hour
	throttleWait      = 700 * time.Millisecond // default of Options.ThrottleWait
	throttleKeyPrefix = "auth:tries:{login}:"  // one slot of a cluster, because a script takes several keys
)

// throttle bounds attempts over all processes. An attempt is counted before it is made, so parallel attempts are not
// free; a success takes the source's attempts back. Attempts of unknown networks are counted by the given name, whose
// counts refuse with ErrTooManyLogins, and by the account, whose counts stay silent because their refusal would
// reveal which names an account has. While Redis is unavailable, or does not answer within wait, nothing is
// refused, and passwords are still compared only a few at a time. docs/people.md states the rules.
type throttle struct {
	redis redis.UniversalClient
	clock clock.Clock
	key   []byte        // names are not kept in the clear
	wait  time.Duration // of one request for all its calls of Redis together
}

// count is the number of attempts under a key: tries are free, then waits double up to the longest.
type count struct {
	key     string
	tries   int
	longest time.Duration
}

// origin is what an attempt at an account comes from: a known client, a known network, or an unknown network.
type origin struct {
	name    string // as given, in the form of loginName.given; the same counts refuse it whether a user has it or not
	account string // the user's id; derived from the name if no user has it
	client  string // hash of a valid client token of the account; "" without one
	network netip.Addr
	site    netip.Addr // of IPv6; the zero Addr for IPv4
	known   bool       // the client has a token, or the network an earlier login, of the account
}

// admitScript counts an attempt and returns the remaining waits in milliseconds of the first ARGV[4] counts, which
// are reported, and of the others, which are silent. A wait of a reported count adds to none; a wait of a silent
// one adds to the reported counts only.
//
//nolint:gochecknoglobals // constant; Lua
var admitScript = redis.NewScript(`
local now, window, first, reported = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local left, silent, seen = 0, 0, {}
for i, key in ipairs(KEYS) do
	local f = redis.call('HMGET', key, 'since', 'n', 'till')
	local c = {since = tonumber(f[1] or now), n = tonumber(f[2] or 0), till = tonumber(f[3] or 0)}
	if now - c.since >= window then c = {since = now, n = 0, till = 0} end
	if i <= reported then left = math.max(left, c.till - now) else silent = math.max(silent, c.till - now) end
	seen[i] = c
end
if left > 0 then return {left, silent} end
for i, key in ipairs(KEYS) do
	if i > reported and silent > 0 then break end
	local c = seen[i]
	c.n = c.n + 1
	local over = c.n - tonumber(ARGV[3 + 2 * i])
	if over > 0 then c.till = now + math.min(first * 2 ^ math.min(over - 1, 30), tonumber(ARGV[4 + 2 * i])) end
	redis.call('HSET', key, 'since', c.since, 'n', c.n, 'till', c.till)
	redis.call('PEXPIRE', key, 2 * window)
end
return {0, silent}`)

// forgetScript forgets the source's attempts and takes them back from the other counts, with the wait of a count that is then
// within its free attempts.
//
//nolint:gochecknoglobals,dupword // constant; Lua
var forgetScript = redis.NewScript(`
local n = tonumber(redis.call('HGET', KEYS[1], 'n') or 0)
redis.call('DEL', KEYS[1])
for i = 2, #KEYS do
	local left = tonumber(redis.call('HGET', KEYS[i], 'n') or 0)
	if left > 0 then
		left = math.max(left - n, 0)
		redis.call('HSET', KEYS[i], 'n', left)
		if left <= tonumber(ARGV[i]) then redis.call('HSET', KEYS[i], 'till', 0) end
	end
end
return 0`)

// tally makes the calls of Redis of one request, which wait for throttle.wait together. It is not for concurrent use.
type tally struct {
	*throttle
	left time.Duration
}

func (t *throttle) begin() *tally { return &tally{throttle: t, left: t.wait} }

// call runs f within the rest of throttle.wait. Without any left it returns context.DeadlineExceeded.
func (t *tally) call(ctx context.Context, f func(ctx context.Context) error) error {
	if t.left <= 0 {
		return context.DeadlineExceeded
	}
	started := clock.System{}.Now() // of the process, because a timeout is no business time
	ctx, cancel := context.WithTimeout(ctx, t.left)
	defer cancel()
	err := f(ctx)
	t.left -= clock.System{}.Now().Sub(started)
	return err
}

// admit counts an attempt. Errors: ErrTooManyLogins with the time to wait.
func (t *tally) admit(ctx context.Context, counts ...count) error {
	_, err := t.admitSilently(ctx, counts, nil)
	return err
}

// admitSilently counts an attempt, and reports false if only a silent count refuses it. Errors: ErrTooManyLogins of
// a reported count.
func (t *tally) admitSilently(ctx context.Context, reported, silent []count) (admitted bool, err error) {
	counts := slices.Concat(reported, silent)
	if len(counts) == 0 {
		return true, nil
	}
	args := []any{t.clock.Now().UnixMilli(), attemptWindow.Milliseconds(), firstWait.Milliseconds(), len(reported)}
	for _, c := range counts {
		args = append(args, c.tries, c.longest.Milliseconds())
	}
	var left []int64
	err = t.call(ctx, func(ctx context.Context) (err error) {
		left, err = admitScript.Run(ctx, t.redis, keysOf(counts), args...).Int64Slice()
		return err
	})
	switch {
	case err != nil || len(left) != 2: // see throttle: nothing is refused without Redis
		return true, nil //nolint:nilerr // as above
	case left[0] > 0:
		return false, ErrTooManyLogins.WithRetryAfter(time.Duration(left[0]) * time.Millisecond)
	}
	return left[1] <= 0, nil
}

// succeeded takes a source's attempts back. The source's count is the first.
func (t *tally) succeeded(ctx context.Context, counts ...count) {
	if len(counts) == 0 {
		return
	}
	tries := make([]any, len(counts))
	for i, c := range counts {
		tries[i] = c.tries
	}
	_ = t.call(ctx, func(ctx context.Context) error { // they expire by themselves
		return forgetScript.Run(ctx, t.redis, keysOf(counts), tries...).Err()
	})
}

func keysOf(counts []count) []string {
	keys := make([]string, len(counts))
	for i, c := range counts {
		keys[i] = c.key
	}
	return keys
}

// logins are the counts of a login attempt. The counts of a known client or network are the account's and reported.
// Those of an unknown network are the given name's and reported, and again the account's and silent, which bounds all
// names of an account together.
func (t *throttle) logins(o *origin) (reported, silent []count) {
	source := t.source("login", o)
	if o.known {
		return []count{{source, sourceTries, shortWait}}, nil
	}
	reported = append(t.unknown(t.name("login name", o.name, o.network.String()), "name", o.name, o), t.networks("network", o, networkTries)...)
	return reported, t.unknown(source, "account", o.account, o)
}

// unknown are the counts of login attempts from an unknown network at a name or at an account. The source's is the first.
func (t *throttle) unknown(source, kind, of string, o *origin) []count {
	counts := []count{{source, sourceTries, longWait}, {t.name(kind, of), accountTries, longWait}}
	if o.site.IsValid() {
		counts = append(counts, count{t.name(kind+" site", of, o.site.String()), siteTries, longWait})
	}
	return counts
}

// codeRequests are the counts of a request for a one-time code by a client that is not logged in: reported ones,
// whose refusal is an answer, and silent ones, which would reveal that the account exists.
func (t *throttle) codeRequests(o *origin) (reported, silent []count) {
	silent = []count{{t.source("code", o), codeTries, longWait}}
	if o.known {
		return nil, silent
	}
	silent = append(silent, count{t.name("code account", o.account), codeAccountTries, longWait})
	if o.site.IsValid() {
		silent = append(silent, count{t.name("code site", o.account, o.site.String()), codeSiteTries, longWait})
	}
	return t.networks("code network", o, codeNetworkTries), silent
}

// networks are the counts over all accounts. A client without an address has none.
func (t *throttle) networks(kind string, o *origin, tries int) []count {
	if !o.network.IsValid() {
		return nil
	}
	counts := []count{{t.name(kind, o.network.String()), tries, longWait}}
	if o.site.IsValid() {
		counts = append(counts, count{t.name(kind+" site", o.site.String()), siteFactor * tries, longWait})
	}
	return counts
}

// signedIn is the count of confirmations of a session. It is the session's alone, so neither strangers nor another
// session of the user can keep the user from confirming.
func (t *throttle) signedIn(by *caller.Caller) count {
	return count{t.name("signed in", by.UserID.String(), by.SessionID.String()), sourceTries, shortWait}
}

// ownCodes is the count of the codes that a session's user requests.
func (t *throttle) ownCodes(by *caller.Caller) count {
	return count{t.name("own codes", by.UserID.String(), by.SessionID.String()), codeTries, longWait}
}

// source is the key of the attempts at an account from one source.
func (t *throttle) source(kind string, o *origin) string {
	if o.client != "" {
		return t.name(kind+" client", o.account, o.client)
	}
	return t.name(kind+" network", o.account, o.network.String())
}

// origin returns what an attempt at the account of an id comes from. Without an id the account is one of the name, in a namespace that no
// id is in. client is the hash of a valid client token.
func (t *tally) origin(ctx context.Context, id uuid.UUID, name, client, address string) origin {
	o := origin{name: name, account: "unknown " + name, client: client, known: client != ""}
	if id != uuid.Nil {
		o.account = id.String()
	}
	addr, ok := clientaddr.Parse(address)
	if !ok {
		return o
	}
	o.network = clientaddr.Network(addr, clientaddr.SubscriberBits)
	if addr.Is6() {
		o.site = clientaddr.Network(addr, clientaddr.SiteBits)
	}
	if !o.known {
		o.known = t.knows(ctx, &o)
	}
	return o
}

// knows reports whether the account logged in from the network within knownNetworkTTL.
func (t *tally) knows(ctx context.Context, o *origin) bool {
	var at float64
	err := t.call(ctx, func(ctx context.Context) (err error) {
		at, err = t.redis.ZScore(ctx, t.known(o), t.network(o)).Result()
		return err
	})
	return err == nil && int64(at) > t.clock.Now().Add(-knownNetworkTTL).UnixMilli()
}

// remember makes the network a known one of the account.
func (t *tally) remember(ctx context.Context, o *origin) {
	if !o.network.IsValid() {
		return
	}
	key := t.known(o)
	pipe := t.redis.Pipeline()
	pipe.ZAdd(ctx, key, redis.Z{Score: float64(t.clock.Now().UnixMilli()), Member: t.network(o)})
	pipe.ZRemRangeByRank(ctx, key, 0, -knownNetworks-1)
	pipe.PExpire(ctx, key, knownNetworkTTL)
	_ = t.call(ctx, func(ctx context.Context) error { // the next login remembers it
		_, err := pipe.Exec(ctx)
		return err
	})
}

func (t *throttle) known(o *origin) string { return t.name("known networks", o.account) }

func (t *throttle) network(o *origin) string {
	return hex.EncodeToString(mac(t.key, []byte("known network"), o.network.AsSlice())[:16])
}

func (t *throttle) name(kind string, parts ...string) string {
	texts := [][]byte{[]byte(kind)}
	for _, part := range parts {
		texts = append(texts, []byte{0}, []byte(part))
	}
	return throttleKeyPrefix + hex.EncodeToString(mac(t.key, texts...)[:16])
}
