package auth

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
)

const (
	minSecret     = 32          // RFC 7518, 3.2: a key as long as the hash
	maxAccess     = 1_024       // bytes of an access token; ours have about 330
	clockSkew     = time.Minute // between processes that issue tokens
	accessCache   = 50_000
	accessCaching = 5 * time.Minute
)

// claims are the claims of an access token. The role is for clients; the service reads it from the user.
type claims struct {
	jwt.RegisteredClaims
	SessionID string `json:"sid"`
	Role      string `json:"role"`
}

// granted is a verified access token.
type granted struct {
	userID    uuid.UUID
	sessionID uuid.UUID
	expires   time.Time
}

// accessTokens signs and verifies access tokens. A client sends the same token thousands of times, so verified tokens
// are cached by their whole text, signature included.
type accessTokens struct {
	key      []byte
	ttl      time.Duration
	clock    clock.Clock
	parser   *jwt.Parser
	verified cache.Cache[string, granted]
}

func newAccessTokens(key []byte, ttl time.Duration, clk clock.Clock) *accessTokens {
	return &accessTokens{
		key: key, ttl: ttl, clock: clk,
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), // the token's own header does not choose the method
			jwt.WithIssuer(issuer), jwt.WithExpirationRequired(), jwt.WithTimeFunc(clk.Now),
		),
		verified: cache.New(&otter.Options[string, granted]{
			MaximumSize:      accessCache,
			ExpiryCalculator: otter.ExpiryWriting[string, granted](min(ttl, accessCaching)),
		}),
	}
}

// issue signs a token for a session.
func (a *accessTokens) issue(user *User, sessionID uuid.UUID) (string, error) {
	now := a.clock.Now()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		SessionID: sessionID.String(), Role: user.Role,
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Subject: user.ID.String(),
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(a.ttl)),
		},
	}).SignedString(a.key)
	if err != nil {
		return "", fmt.Errorf("sign access token: %w", err)
	}
	return token, nil
}

// verify checks signature, algorithm, issuer and time. Errors: ErrUnauthenticated, ErrTokenExpired.
func (a *accessTokens) verify(token string) (granted, error) {
	if g, ok := a.verified.GetIfPresent(token); ok {
		if !a.clock.Now().Before(g.expires) {
			return granted{}, ErrTokenExpired
		}
		return g, nil
	}
	if len(token) > maxAccess {
		return granted{}, ErrUnauthenticated
	}
	g, err := a.parse(token)
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return granted{}, ErrTokenExpired.WithCause(err)
	case err != nil:
		return granted{}, ErrUnauthenticated.WithCause(err)
	}
	a.verified.Set(strings.Clone(token), g) // the text may be a part of a larger buffer
	return g, nil
}

func (a *accessTokens) parse(token string) (granted, error) {
	var c claims
	if _, err := a.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return a.key, nil }); err != nil {
		return granted{}, err
	}
	if c.IssuedAt == nil || c.IssuedAt.After(a.clock.Now().Add(clockSkew)) {
		return granted{}, errors.New("iat: not yet issued")
	}
	userID, err := uuid.Parse(c.Subject)
	if err != nil {
		return granted{}, fmt.Errorf("sub: %w", err)
	}
	sessionID, err := uuid.Parse(c.SessionID)
	if err != nil {
		return granted{}, fmt.Errorf("sid: %w", err)
	}
	return granted{userID: userID, sessionID: sessionID, expires: c.ExpiresAt.Time}, nil
}
