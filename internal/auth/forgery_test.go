package auth_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
)

// The header of a token is not trusted: neither its algorithm nor a key that it names, contains or points to.
func TestTheHeaderOfATokenIsNotTrusted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := b.login(t).Access
	p, err := b.Authenticate(t.Context(), good)
	require.NoError(t, err)
	claims := jwt.MapClaims{
		"iss": "banca", "sub": p.UserID.String(), "sid": p.SessionID.String(), "role": "ADMIN",
		"iat": b.clock.Now().Unix(), "exp": b.clock.Now().Add(time.Hour).Unix(),
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	sign := func(method jwt.SigningMethod, key any, header map[string]any) string {
		token := jwt.NewWithClaims(method, claims)
		maps.Copy(token.Header, header)
		signed, err := token.SignedString(key)
		require.NoError(t, err)
		return signed
	}
	parts := strings.Split(good, ".")
	withHeader := func(header string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + parts[1] + "." + parts[2]
	}
	empty, theirs := []byte{}, []byte(strings.Repeat("k", 32))
	for name, token := range map[string]string{
		"RS256 of their own":             sign(jwt.SigningMethodRS256, rsaKey, nil),
		"RS256 in the header, our MAC":   withHeader(`{"alg":"RS256","typ":"JWT"}`),
		"none in other letters":          withHeader(`{"alg":"nOnE","typ":"JWT"}`),
		"no algorithm":                   withHeader(`{"typ":"JWT"}`),
		"two algorithms":                 withHeader(`{"alg":"none","alg":"HS256"}`),
		"empty key":                      sign(jwt.SigningMethodHS256, empty, nil),
		"key named by a path":            sign(jwt.SigningMethodHS256, empty, map[string]any{"kid": "../../../dev/null"}),
		"key named by an injection":      sign(jwt.SigningMethodHS256, theirs, map[string]any{"kid": "x' UNION SELECT '" + string(theirs)}),
		"key brought along":              sign(jwt.SigningMethodHS256, theirs, map[string]any{"jwk": map[string]any{"kty": "oct", "k": base64.RawURLEncoding.EncodeToString(theirs)}}),
		"key to be fetched":              sign(jwt.SigningMethodHS256, theirs, map[string]any{"jku": "https://evil.example/keys", "x5u": "https://evil.example/cert"}),
		"five parts":                     good + ".x.y",
		"space before":                   " " + good,
		"space after":                    good + " ",
		"padding":                        good + "=",
		"standard base64":                strings.NewReplacer("-", "+", "_", "/").Replace(parts[0]+"."+parts[1]) + "." + parts[2] + "==",
		"refresh token":                  b.login(t).Refresh,
		"the signature of another token": parts[0] + "." + parts[1] + "." + strings.Split(b.login(t).Access, ".")[2],
	} {
		_, err := b.Authenticate(t.Context(), token)
		assert.ErrorIs(t, err, auth.ErrUnauthenticated, name)
	}
	_, err = b.Authenticate(t.Context(), sign(jwt.SigningMethodHS256, []byte(secret), map[string]any{"kid": "ignored"}))
	require.NoError(t, err, "the forger of this test is able")
}

// Only the holder of the key can set times; impossible times are refused all the same.
func TestTimesOfATokenThatCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Authenticate(t.Context(), b.login(t).Access)
	require.NoError(t, err)
	now := b.clock.Now()
	for name, times := range map[string]jwt.MapClaims{
		"not yet":            {"nbf": now.Add(time.Hour).Unix()},
		"expiry as text":     {"exp": "never"},
		"expiry before time": {"exp": -1},
	} {
		claims := jwt.MapClaims{
			"iss": "banca", "sub": p.UserID.String(), "sid": p.SessionID.String(), "iat": now.Unix(), "exp": now.Add(2 * time.Hour).Unix(),
		}
		maps.Copy(claims, times)
		_, err := b.Authenticate(t.Context(), forge(t, jwt.SigningMethodHS256, []byte(secret), claims))
		assert.Error(t, err, name)
	}
}

// Of concurrent uses of one refresh token one succeeds, and the second one ends the session, both for the thief of a
// token and for its owner.
func TestConcurrentReuseOfARefreshTokenEndsTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 10 {
		stolen := b.login(t).Refresh
		type result struct {
			tokens auth.Tokens
			err    error
		}
		results := make(chan result, 8)
		for client := range cap(results) {
			go func() {
				tokens, _, err := b.refreshFrom(t.Context(), "client "+strconv.Itoa(client), stolen)
				results <- result{tokens, err}
			}()
		}
		var won []auth.Tokens
		for range cap(results) {
			if r := <-results; r.err == nil {
				won = append(won, r.tokens)
			} else {
				assert.ErrorIs(t, r.err, auth.ErrInvalidRefresh)
			}
		}
		require.Len(t, won, 1)
		_, _, err := b.Refresh(t.Context(), won[0].Refresh)
		require.ErrorIs(t, err, auth.ErrInvalidRefresh, "the winner's, too")
		_, err = b.Authenticate(t.Context(), won[0].Access)
		assert.ErrorIs(t, err, auth.ErrUnauthenticated, "and its access token")
	}
}
