package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/storage"
)

// participating gives the entities below the operator a share in the result, by their level.
const participating = `UPDATE entities SET finance_info = finance_info || jsonb_build_object('participation', jsonb_build_object('percent',
	CASE entity_type WHEN 'SUPER_AGENCY' THEN '40' WHEN 'AGENCY' THEN '25' WHEN 'GROUP' THEN '10' ELSE '0' END)) WHERE parent_id IS NOT NULL`

// withPasswords returns a template of rows whose users have the password.
func withPasswords(rows fixture.Rows) *testkit.Template {
	return testkit.NewTemplate(func(ctx context.Context, pg *storage.Postgres) error {
		if err := rows.Write(ctx, pg); err != nil {
			return err
		}
		hash, err := hashedPassword()
		if err == nil {
			_, err = pg.Pool.Exec(ctx, `UPDATE users SET password_hash = $1`, hash)
		}
		return err
	})
}

func hashedPassword() (string, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	return string(hash), err
}

// usersOf returns the service of users, who see what scope gives their entity.
func usersOf(t *testing.T, env *testkit.Env, scope func(context.Context, uuid.UUID) (caller.Scope, error)) *auth.Service {
	t.Helper()
	users, err := auth.New(env.PG, clock.System{}, auth.Options{
		Secret: []byte(strings.Repeat("s", 32)), AccessTTL: time.Minute, RefreshTTL: time.Hour, BcryptCost: bcrypt.MinCost, Redis: env.Redis, Scope: scope,
	})
	require.NoError(t, err)
	return users
}
