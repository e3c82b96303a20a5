package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/models"
)

func TestLoginByEveryName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]auth.Credentials{
		"email":               {Email: "cashier@banca.test"},
		"email in capitals":   {Email: " CASHIER@banca.test "},
		"phone":               {Phone: "04141234567"},
		"phone, E.164":        {Phone: "+58 414 1234567"},
		"identifier":          {Identifier: "CAJA-01"},
		"identifier is email": {Identifier: "cashier@banca.test"},
		"identifier is phone": {Identifier: "584141234567"},
	} {
		c.Password = password
		tokens, user, err := b.Login(t.Context(), c, auth.Client{Address: "192.0.2.1", UserAgent: strings.Repeat("ñ", 500)})
		require.NoError(t, err, name)
		assert.Equal(t, b.user.ID, user.ID, name)
		assert.Equal(t, 15*time.Minute, tokens.ExpiresIn)
		p, err := b.Authenticate(t.Context(), tokens.Access)
		require.NoError(t, err, name)
		assert.Equal(t, caller.Caller{
			UserID: b.user.ID, SessionID: p.SessionID, EntityID: b.root.ID, Scope: testkit.Scope(b.root.Path), Role: models.RoleTaquilla, Name: "Cashier",
			Permissions: auth.RolePermissions(models.RoleTaquilla),
		}, p)
	}
}

func TestEveryRefusedLoginLooksTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.create(t, auth.NewUser{Email: "gone@banca.test", Name: "Gone", Role: models.RoleSocio})
	b.exec(t, `UPDATE users SET status = 'inactive' WHERE email = 'gone@banca.test'`)
	for name, c := range map[string]auth.Credentials{
		"wrong password":    {Email: "cashier@banca.test", Password: "wrong horse"},
		"unknown":           {Email: "nobody@banca.test", Password: password},
		"inactive":          {Email: "gone@banca.test", Password: password},
		"not a phone":       {Phone: "12", Password: password},
		"email as a phone":  {Phone: "cashier@banca.test", Password: password},
		"identifier as one": {Email: "caja-01", Password: password},
		"NUL":               {Identifier: "caja-01\x00", Password: password},
		"too long a name":   {Identifier: strings.Repeat("x", 10_000), Password: password},
		"too long a word":   {Identifier: "caja-01", Password: password + strings.Repeat("x", 100)},
	} {
		tokens, user, err := b.Login(t.Context(), c, auth.Client{})
		assert.Equal(t, auth.ErrInvalidCredentials, err, name)
		assert.Zero(t, tokens, name)
		assert.Zero(t, user, name)
	}
}

func TestLoginNeedsOneName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []auth.Credentials{{}, {Email: "a@b.c", Phone: "04141234567"}, {Email: "a@b.c", Identifier: "x"}} {
		c.Password = password
		_, _, err := b.Login(t.Context(), c, auth.Client{})
		assert.ErrorIs(t, err, auth.ErrLoginName)
	}
}

// A user cannot impersonate or lock out another by choosing an identifier that equals the other's address.
func TestAnIdentifierCannotShadowAnotherUsersAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.create(t, auth.NewUser{Email: "thief@banca.test", Identifier: "cashier@banca.test", Name: "Thief", Role: models.RoleTaquilla})
	_, user, err := b.Login(t.Context(), auth.Credentials{Identifier: "cashier@banca.test", Password: password}, auth.Client{})
	require.NoError(t, err)
	assert.Equal(t, b.user.ID, user.ID)
}

func TestNoSecretIsStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	var everything string
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(),
		`SELECT coalesce(string_agg(s::text, ''), '') || (SELECT string_agg(u::text, '') FROM users u) FROM user_sessions s`).Scan(&everything))
	_, random, _ := strings.Cut(tokens.Refresh, ".")
	for _, text := range []string{password, tokens.Access, tokens.Refresh, random} {
		assert.NotContains(t, everything, text)
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, err := b.Authenticate(t.Context(), b.login(t).Access)
	require.NoError(t, err)
	me, err := b.Me(t.Context(), p)
	require.NoError(t, err)
	assert.Equal(t, "+584141234567", me.Phone)
	assert.WithinDuration(t, b.clock.Now(), *me.LastActivityAt, time.Second)
	_, err = b.Me(t.Context(), caller.Caller{})
	assert.ErrorIs(t, err, auth.ErrUnauthenticated)
}
