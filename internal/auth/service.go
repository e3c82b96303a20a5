package auth

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"gorm.io/gorm"

	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/storage"
)

// issuer is the iss of every access token.
const issuer = "banca"

// Options are the settings of the domain.
type Options struct {
	Secret     []byte // signs tokens, at least 32 bytes; the same in every process
	AccessTTL  time.Duration
	RefreshTTL time.Duration // a session that is not refreshed for so long is over
	BcryptCost int

	// CredentialsKept is how long TrimCredentials keeps rows of account_credentials: SECOND_PERSON_WAIT.
	CredentialsKept time.Duration

	// Scope returns the scope of an entity's users; it is a function of package org, which is of the same tier.
	Scope func(ctx context.Context, entityID uuid.UUID) (caller.Scope, error)

	// AnswerStep is the step of answer times: requests for codes and wrong codes are answered at its multiples; 0
	// means answerStep.
	AnswerStep time.Duration

	// ThrottleWait bounds how long one request waits for all its calls of Redis together; 0 means throttleWait. Tests
	// of many concurrent logins on few cores need a longer one.
	ThrottleWait time.Duration

	Redis  redis.UniversalClient // counts attempts
	Wake   func()                // after a commit that wrote tasks; nil leaves it to the poll
	Events realtime.Publisher    // published when sessions end, after the commit; nil for none
}

// Service logs users in and authenticates callers.
type Service struct {
	db        *gorm.DB
	pg        *storage.Postgres
	clock     clock.Clock
	options   Options
	passwords *passwords
	access    *accessTokens
	refresh   opaqueTokens
	browser   opaqueTokens
	sessions  sessionCache
	throttle  *throttle
	clientKey []byte
	codeKey   []byte
	totpKey   []byte
	pinKey    []byte
	presence  *presence
}

// New returns the service. It takes as long as one login, because it makes the hash that unknown users
// are compared with.
func New(pg *storage.Postgres, clk clock.Clock, o Options) (*Service, error) {
	if len(o.Secret) < minSecret {
		return nil, errors.New("auth: the secret is too short")
	}
	if o.AccessTTL <= 0 || o.RefreshTTL <= 0 || o.Scope == nil || o.Redis == nil {
		return nil, errors.New("auth: times to live, the scope of an entity and Redis are required")
	}
	o.AnswerStep = cmp.Or(o.AnswerStep, answerStep)
	o.ThrottleWait = cmp.Or(o.ThrottleWait, throttleWait)
	if o.Wake == nil {
		o.Wake = func() {}
	}
	if o.Events == nil {
		o.Events = realtime.Discard{}
	}
	pw, err := newPasswords(o.BcryptCost)
	if err != nil {
		return nil, err
	}
	return &Service{
		db: pg.Gorm, pg: pg, clock: clk, options: o,
		passwords: pw,
		access:    newAccessTokens(o.Secret, o.AccessTTL, clk),
		refresh:   newOpaqueTokens(o.Secret, "refresh"),
		browser:   newOpaqueTokens(o.Secret, "browser"),
		sessions:  newSessionCache(),
		throttle:  &throttle{redis: o.Redis, clock: clk, wait: o.ThrottleWait, key: mac(o.Secret, []byte("names of attempts"))},
		clientKey: mac(o.Secret, []byte("client tokens")),
		codeKey:   mac(o.Secret, []byte("one-time codes")),
		totpKey:   mac(o.Secret, []byte("authenticator secrets")),
		pinKey:    mac(o.Secret, []byte("PINs")),
		presence:  newPresence(),
	}, nil
}

// Forget drops the cache, so that changes made without the service are seen at once.
func (s *Service) Forget() { s.sessions.InvalidateAll() }
