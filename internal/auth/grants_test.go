package auth_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/constants"
	"banca/internal/platform/caller"
	"banca/models"
)

func TestEveryPermissionIsListedOnce(t *testing.T) {
	t.Parallel()
	all := auth.Permissions()
	const typ = "banca/internal/platform/caller.Permission"
	declared, err := constants.Of("../..", []string{"internal/auth"}, typ)
	require.NoError(t, err)
	for name, at := range declared.Values[typ] {
		assert.Contains(t, all, auth.Permission(name), "%s: add it to Permissions", at)
	}
	assert.Len(t, declared.Values[typ], len(all))
	assert.True(t, slices.IsSorted(all))
	source, err := os.ReadFile("permissions.go")
	require.NoError(t, err)
	assert.Len(t, all, len(auth.RolePermissions(models.RoleAdmin)))
	for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
		for p := range auth.RolePermissions(role) {
			assert.True(t, auth.Grantable(role, p), "%s %s", role, p)
		}
	}
	for _, p := range all {
		assert.Regexp(t, `^[a-z_]+:[a-z_]+$`, p)
		assert.Contains(t, strings.ToLower(string(source)), "\t"+strings.NewReplacer(":", "", "_", "").Replace(string(p))+" ", "a constant is named as its value")
		if auth.Grantable(models.RoleSocio, p) {
			assert.Regexp(t, `:read$`, p, "a partner only reads")
		}
	}
	assert.Empty(t, auth.RolePermissions("ROOT"))
	assert.False(t, auth.Grantable(models.RoleAdmin, "everything:write"))
}

func TestGrantsAndDenials(t *testing.T) {
	t.Parallel()
	b := setup(t)
	set, err := b.SetPermissions(t.Context(), b.admin(), b.user.ID, []auth.Permission{auth.SalesCancelAny, auth.LogsRead}, []auth.Permission{auth.SalesSell})
	require.NoError(t, err)
	assert.True(t, set.Effective.Has(auth.SalesCancelAny))
	assert.False(t, set.Effective.Has(auth.SalesSell))
	p, _ := b.enter(t, "caja-01")
	assert.Equal(t, set.Effective, p.Permissions, "what a caller may do")
	read, err := b.PermissionsOf(t.Context(), testkit.Within(b.root.Path), b.user.ID)
	require.NoError(t, err)
	assert.Equal(t, set, read)

	for name, c := range map[string]struct{ granted, denied []auth.Permission }{
		"not for this role": {granted: []auth.Permission{auth.UsersWrite}}, "unknown": {granted: []auth.Permission{"a:b"}},
		"unknown denial": {denied: []auth.Permission{"a:b"}}, "both": {[]auth.Permission{auth.SalesCancelAny}, []auth.Permission{auth.SalesCancelAny}},
	} {
		_, err := b.SetPermissions(t.Context(), b.admin(), b.user.ID, c.granted, c.denied)
		require.ErrorIs(t, err, auth.ErrNotGrantable, name)
	}
	same, err := b.PermissionsOf(t.Context(), testkit.Within(b.root.Path), b.user.ID)
	require.NoError(t, err)
	assert.Equal(t, set, same)

	weak := b.admin()
	weak.Permissions = caller.PermissionSet{}
	for p := range set.Effective {
		weak.Permissions[p] = struct{}{}
	}
	_, err = b.SetPermissions(t.Context(), weak, b.user.ID, []auth.Permission{auth.SessionsRead}, nil)
	require.ErrorIs(t, err, auth.ErrUserAbove, "nobody grants what they do not have")
	_, err = b.SetPermissions(t.Context(), weak, b.user.ID, nil, nil)
	require.ErrorIs(t, err, auth.ErrUserAbove, "nor by taking a denial away")
}

// Whatever the database holds, a partner changes nothing, and denied permissions stay denied.
func TestGrantsDoNotExceedTheRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	roles := []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio}
	rapid.Check(t, func(r *rapid.T) {
		role := rapid.SampledFrom(roles).Draw(r, "role")
		picked := func(name string) []auth.Permission {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(auth.Permissions()), 0, 8, rapid.ID).Draw(r, name)
		}
		granted, denied := picked("granted"), picked("denied")
		b.exec(t, `UPDATE users SET role = $1 WHERE id = $2`, role, b.user.ID)
		b.exec(t, `DELETE FROM user_permissions`)
		for _, p := range granted {
			b.exec(t, `INSERT INTO user_permissions VALUES ($1, $2, true)`, b.user.ID, string(p))
		}
		for _, p := range denied {
			b.exec(t, `INSERT INTO user_permissions VALUES ($1, $2, false) ON CONFLICT (user_id, permission) DO UPDATE SET granted = false`, b.user.ID, string(p))
		}
		set, err := b.PermissionsOf(t.Context(), testkit.Within(b.root.Path), b.user.ID)
		if err != nil {
			r.Fatal(err)
		}
		for _, p := range auth.Permissions() {
			want := auth.Grantable(role, p) && !slices.Contains(denied, p) && (slices.Contains(granted, p) || auth.RolePermissions(role).Has(p))
			if set.Effective.Has(p) != want {
				r.Fatalf("%s %s: %v", role, p, !want)
			}
		}
	})
}
