package auth_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
)

// forge signs a token like ours with a chosen method, key and claims.
func forge(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	require.NoError(t, err)
	return token
}

func TestForgedTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good := b.login(t).Access
	p, err := b.Authenticate(t.Context(), good)
	require.NoError(t, err)
	with := func(change jwt.MapClaims) jwt.MapClaims {
		c := jwt.MapClaims{
			"iss": "banca", "sub": p.UserID.String(), "sid": p.SessionID.String(), "role": "ADMIN",
			"iat": b.clock.Now().Unix(), "exp": b.clock.Now().Add(time.Hour).Unix(),
		}
		maps.Copy(c, change)
		return c
	}
	parts := strings.Split(good, ".")
	key := []byte(secret)
	for name, token := range map[string]string{
		"empty":             "",
		"not a token":       "abc",
		"alg none":          forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, with(nil)),
		"other algorithm":   forge(t, jwt.SigningMethodHS512, key, with(nil)),
		"other key":         forge(t, jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32)), with(nil)),
		"other issuer":      forge(t, jwt.SigningMethodHS256, key, with(jwt.MapClaims{"iss": "other"})),
		"no expiry":         forge(t, jwt.SigningMethodHS256, key, with(jwt.MapClaims{"exp": nil})),
		"unknown session":   forge(t, jwt.SigningMethodHS256, key, with(jwt.MapClaims{"sid": uuid.NewString()})),
		"session of others": forge(t, jwt.SigningMethodHS256, key, with(jwt.MapClaims{"sub": uuid.NewString()})),
		"no session":        forge(t, jwt.SigningMethodHS256, key, with(jwt.MapClaims{"sid": ""})),
		"no signature":      parts[0] + "." + parts[1] + ".",
		"payload exchanged": parts[0] + "." + parts[1] + "x." + parts[2],
		"huge":              strings.Repeat("a", 1<<20),
	} {
		_, err := b.Authenticate(t.Context(), token)
		assert.ErrorIs(t, err, auth.ErrUnauthenticated, name)
	}
	_, err = b.Authenticate(t.Context(), forge(t, jwt.SigningMethodHS256, key, with(nil)))
	require.NoError(t, err, "the forger of this test is able")
}

func TestAccessTokensExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seen, unseen := b.login(t).Access, b.login(t).Access
	_, err := b.Authenticate(t.Context(), seen)
	require.NoError(t, err)
	b.clock.Advance(15*time.Minute + time.Second)
	for _, token := range []string{seen, unseen} {
		_, err = b.Authenticate(t.Context(), token)
		assert.ErrorIs(t, err, auth.ErrTokenExpired)
	}
}

func TestTheRoleIsTheUsersAndNotTheTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.login(t).Access
	b.exec(t, `UPDATE users SET role = 'SOCIO'`)
	p, err := b.Authenticate(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, "SOCIO", p.Role)
	assert.True(t, p.May(auth.SalesRead))
	assert.False(t, p.May(auth.SalesSell))
}

func TestAChangeIsSeenWithinSeconds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.login(t).Access
	_, err := b.Authenticate(t.Context(), token)
	require.NoError(t, err)
	b.exec(t, `UPDATE users SET status = 'inactive'`)
	assert.Eventually(t, func() bool {
		_, err := b.Authenticate(t.Context(), token)
		return err != nil
	}, 20*time.Second, 100*time.Millisecond)
}

func TestBrowserSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens, user, err := b.LoginBrowser(t.Context(), auth.Credentials{Identifier: "caja-01", Password: password}, auth.Client{})
	require.NoError(t, err)
	token := tokens.Session
	assert.Equal(t, b.user.ID, user.ID)
	p, err := b.AuthenticateBrowser(t.Context(), token)
	require.NoError(t, err)
	assert.Equal(t, b.user.ID, p.UserID)

	other := map[bool]string{true: "A", false: "_"}[strings.HasSuffix(token, "_")]
	_, err = b.AuthenticateBrowser(t.Context(), token[:len(token)-1]+other)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "one character is another")
	_, err = b.AuthenticateBrowser(t.Context(), b.login(t).Refresh)
	require.ErrorIs(t, err, auth.ErrUnauthenticated, "a refresh token is no cookie")
	_, _, err = b.Refresh(t.Context(), token)
	require.ErrorIs(t, err, auth.ErrInvalidRefresh, "a cookie is no refresh token")

	require.NoError(t, b.Logout(t.Context(), p))
	_, err = b.AuthenticateBrowser(t.Context(), token)
	assert.ErrorIs(t, err, auth.ErrUnauthenticated)
}

func BenchmarkAuthenticate(b *testing.B) {
	bundle := setup(b)
	token := bundle.login(b).Access
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bundle.Authenticate(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
