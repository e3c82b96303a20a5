package auth_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/models"
)

// entity adds an entity below another.
func (b *bundle) entity(t testing.TB, above *models.Entity, kind, code string) models.Entity {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	e := models.Entity{ID: id, EntityType: kind, Name: code, Code: code, ParentID: &above.ID, Path: above.Path + id.String() + "/", Status: models.StatusActive}
	require.NoError(t, b.env.PG.Gorm.Create(&e).Error)
	return e
}

// adminOf is an administrator of an entity, as a user.
func (b *bundle) adminOf(t testing.TB, e *models.Entity, email string) caller.Caller {
	t.Helper()
	user, err := b.CreateUser(t.Context(), b.admin(), &auth.NewUser{EntityID: e.ID, Email: email, Name: "Boss of " + e.Name, Role: models.RoleAdmin, Password: password})
	require.NoError(t, err)
	return caller.Caller{UserID: user.ID, EntityID: e.ID, Scope: testkit.Scope(e.Path), Role: models.RoleAdmin, Name: user.Name, Permissions: auth.RolePermissions(models.RoleAdmin)}
}

// trail returns module.action of the entries about a target, oldest first.
func (b *bundle) trail(t testing.TB, target uuid.UUID) []string {
	t.Helper()
	list, _, err := activity.New(b.env.PG, b.clock).List(t.Context(), testkit.Within(b.root.Path), &activity.Filter{Target: target.String(), Oldest: true, Limit: 100})
	require.NoError(t, err)
	var all []string
	for _, l := range list {
		all = append(all, l.Module+"."+l.Action)
	}
	return all
}

func TestCreateUpdateAndDeleteAUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agency := b.entity(t, &b.root, models.EntityAgency, "A")
	boss := b.adminOf(t, &agency, "boss@banca.test")
	user, err := b.CreateUser(t.Context(), boss, &auth.NewUser{
		EntityID: agency.ID, Email: " Ana@Banca.test", Phone: "0414 765 43 21", Identifier: "ANA", Name: " Ana ", Role: models.RoleTaquilla, Password: password,
	})
	require.NoError(t, err)
	assert.Equal(t, "ana@banca.test", user.Email)
	assert.Equal(t, "+584147654321", user.Phone)
	assert.Equal(t, "ana", user.Identifier)
	assert.Equal(t, "Ana", user.Name)
	assert.Equal(t, models.AuthWhatsApp, user.AuthMethod)

	_, p := b.enter(t, "ana@banca.test")
	changed, err := b.UpdateUser(t.Context(), boss, user.ID, &auth.UserChange{Name: new("Ana María"), Email: new(""), Role: new(models.RoleSocio)})
	require.NoError(t, err)
	assert.Empty(t, changed.Email)
	assert.Equal(t, models.RoleSocio, changed.Role)
	read, err := b.User(t.Context(), testkit.Within(agency.Path), user.ID)
	require.NoError(t, err)
	assert.Equal(t, "Ana María", read.Name)
	require.NoError(t, b.Authorised(t, p.token))

	_, err = b.UpdateUser(t.Context(), boss, user.ID, &auth.UserChange{Status: new(models.StatusInactive)})
	require.NoError(t, err)
	require.ErrorIs(t, b.Authorised(t, p.token), auth.ErrUnauthenticated, "at once")
	require.NoError(t, b.DeleteUser(t.Context(), boss, user.ID))
	_, err = b.User(t.Context(), testkit.Within(agency.Path), user.ID)
	require.ErrorIs(t, err, auth.ErrUserNotFound)
	require.ErrorIs(t, b.DeleteUser(t.Context(), boss, user.ID), auth.ErrUserNotFound)
	assert.Equal(t, []string{"users.create", "users.update", "users.update", "users.delete"}, b.trail(t, user.ID))

	again, err := b.CreateUser(t.Context(), boss, &auth.NewUser{EntityID: agency.ID, Identifier: "ana", Name: "Ana", Role: models.RoleTaquilla, Password: password})
	require.NoError(t, err, "the names are free")
	assert.NotEqual(t, user.ID, again.ID)
	list, total, err := b.Users(t.Context(), testkit.Within(agency.Path), &auth.UserFilter{Text: "ANA", Limit: 10})
	require.NoError(t, err)
	assert.EqualValues(t, 1, total)
	assert.Equal(t, again.ID, list[0].ID)
}

// An administrator of a branch rules over the branch, and gives no more than there is to give.
func TestAUserGetsNoMorePermissionsThanItsCreator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	left, right := b.entity(t, &b.root, models.EntityAgency, "L"), b.entity(t, &b.root, models.EntityAgency, "R")
	below := b.entity(t, &left, models.EntityTicketPoint, "LT")
	boss, other := b.adminOf(t, &left, "left@banca.test"), b.adminOf(t, &right, "right@banca.test")
	above := b.create(t, auth.NewUser{Email: "top@banca.test", Name: "Top", Role: models.RoleAdmin})
	cashier, err := b.CreateUser(t.Context(), boss, &auth.NewUser{EntityID: below.ID, Email: "c@banca.test", Name: "C", Role: models.RoleTaquilla, Password: password})
	require.NoError(t, err)

	for name, do := range map[string]func(id uuid.UUID, by caller.Caller) error{
		"update": func(id uuid.UUID, by caller.Caller) error {
			_, err := b.UpdateUser(t.Context(), by, id, &auth.UserChange{Name: new("X")})
			return err
		},
		"delete": func(id uuid.UUID, by caller.Caller) error { return b.DeleteUser(t.Context(), by, id) },
		"password": func(id uuid.UUID, by caller.Caller) error {
			return b.ResetPassword(t.Context(), by, id, "another horse")
		},
		"totp": func(id uuid.UUID, by caller.Caller) error { return b.DisableTOTP(t.Context(), by, id) },
		"permissions": func(id uuid.UUID, by caller.Caller) error {
			_, err := b.SetPermissions(t.Context(), by, id, nil, nil)
			return err
		},
	} {
		require.ErrorIs(t, do(above.ID, boss), auth.ErrUserNotFound, "%s of a user above", name)
		require.ErrorIs(t, do(cashier.ID, other), auth.ErrUserNotFound, "%s of another branch", name)
		require.ErrorIs(t, do(cashier.ID, caller.Caller{}), auth.ErrUserNotFound, "%s by nobody", name)
	}
	_, err = b.CreateUser(t.Context(), boss, &auth.NewUser{EntityID: b.root.ID, Email: "x@banca.test", Name: "X", Role: models.RoleSocio, Password: password})
	require.ErrorIs(t, err, auth.ErrInvalidUser, "above itself")
	_, err = b.CreateUser(t.Context(), boss, &auth.NewUser{EntityID: right.ID, Email: "x@banca.test", Name: "X", Role: models.RoleSocio, Password: password})
	require.ErrorIs(t, err, auth.ErrInvalidUser, "in another branch")
	_, err = b.UpdateUser(t.Context(), boss, cashier.ID, &auth.UserChange{EntityID: &right.ID})
	require.ErrorIs(t, err, auth.ErrInvalidUser, "into another branch")
	_, err = b.CreateUser(t.Context(), boss, &auth.NewUser{EntityID: uuid.New(), Email: "x@banca.test", Name: "X", Role: models.RoleSocio, Password: password})
	require.ErrorIs(t, err, auth.ErrInvalidUser, "nowhere")

	weak := boss // may write users but not grant
	weak.Permissions = caller.PermissionSet{auth.UsersWrite: {}, auth.UsersRead: {}}
	_, err = b.CreateUser(t.Context(), weak, &auth.NewUser{EntityID: below.ID, Email: "x@banca.test", Name: "X", Role: models.RoleAdmin, Password: password})
	require.ErrorIs(t, err, auth.ErrUserAbove)
	_, err = b.UpdateUser(t.Context(), weak, cashier.ID, &auth.UserChange{Name: new("X")})
	require.ErrorIs(t, err, auth.ErrUserAbove, "who may do more")

	for name, change := range map[string]auth.UserChange{"role": {Role: new(models.RoleSocio)}, "status": {Status: new(models.StatusInactive)}, "entity": {EntityID: &below.ID}} {
		_, err = b.UpdateUser(t.Context(), boss, boss.UserID, &change)
		require.ErrorIs(t, err, auth.ErrOwnUser, "own %s", name)
	}
	require.ErrorIs(t, b.DeleteUser(t.Context(), boss, boss.UserID), auth.ErrOwnUser)
	require.ErrorIs(t, b.ResetPassword(t.Context(), boss, boss.UserID, "another horse"), auth.ErrOwnUser)
	_, err = b.SetPermissions(t.Context(), boss, boss.UserID, nil, nil)
	require.ErrorIs(t, err, auth.ErrOwnUser)
	same, err := b.User(t.Context(), testkit.Within(b.root.Path), cashier.ID)
	require.NoError(t, err)
	assert.Equal(t, cashier.Name, same.Name)
	assert.Equal(t, []string{"users.create"}, b.trail(t, cashier.ID), "a refused request changes nothing")
}

func TestBadUsersAreRefusedByField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		change auth.NewUser
		want   error
	}{
		"no name":       {auth.NewUser{Email: "x@y.z", Role: "SOCIO"}, auth.ErrInvalidUser},
		"no role":       {auth.NewUser{Email: "x@y.z", Name: "X"}, auth.ErrInvalidUser},
		"unknown role":  {auth.NewUser{Email: "x@y.z", Name: "X", Role: "ROOT"}, auth.ErrInvalidUser},
		"no names":      {auth.NewUser{Name: "X", Role: "SOCIO"}, auth.ErrInvalidUser},
		"not an email":  {auth.NewUser{Email: "x", Name: "X", Role: "SOCIO"}, auth.ErrInvalidUser},
		"not a phone":   {auth.NewUser{Phone: "12", Name: "X", Role: "SOCIO"}, auth.ErrInvalidUser},
		"spaces":        {auth.NewUser{Identifier: "a b", Name: "X", Role: "SOCIO"}, auth.ErrInvalidUser},
		"control":       {auth.NewUser{Email: "x@y.z", Name: "X\x07", Role: "SOCIO"}, auth.ErrInvalidUser},
		"unknown login": {auth.NewUser{Email: "x@y.z", Name: "X", Role: "SOCIO", AuthMethod: "magic"}, auth.ErrInvalidUser},
		"taken email":   {auth.NewUser{Email: "CASHIER@banca.test", Name: "X", Role: "SOCIO"}, auth.ErrUserExists},
		"taken phone":   {auth.NewUser{Phone: "+58 414 1234567", Name: "X", Role: "SOCIO"}, auth.ErrUserExists},
		"taken name":    {auth.NewUser{Identifier: "caja-01", Name: "X", Role: "SOCIO"}, auth.ErrUserExists},
	} {
		c.change.EntityID, c.change.Password = b.root.ID, password
		_, err := b.CreateUser(t.Context(), b.admin(), &c.change)
		require.ErrorIs(t, err, c.want, name)
	}
	for name, pw := range map[string]string{"short": "seven77", "long": string(make([]byte, 73)), "its own email": "new@banca.test", "its own name": "Somebody"} {
		_, err := b.CreateUser(t.Context(), b.admin(), &auth.NewUser{EntityID: b.root.ID, Email: "new@banca.test", Name: "Somebody", Role: "SOCIO", Password: pw})
		require.ErrorIs(t, err, auth.ErrWeakPassword, name)
	}
	_, err := b.CreateUser(t.Context(), b.admin(), &auth.NewUser{EntityID: b.root.ID, Email: "new@banca.test", Name: "X", Role: "SOCIO"})
	require.ErrorIs(t, err, auth.ErrInvalidUser, "no way to log in")
	_, err = b.UpdateUser(t.Context(), b.admin(), b.user.ID, &auth.UserChange{Email: new(""), Phone: new(""), Identifier: new("")})
	require.ErrorIs(t, err, auth.ErrInvalidUser)
	all, _, err := b.Users(t.Context(), testkit.Within(b.root.Path), &auth.UserFilter{Limit: 10})
	require.NoError(t, err)
	assert.Len(t, all, 1)
}

// Of concurrent changes that would leave the root without an administrator, the last one is refused.
func TestTheLastAdministratorCannotBeRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var admins []uuid.UUID
	for _, name := range []string{"a", "b", "c", "d"} {
		admins = append(admins, b.create(t, auth.NewUser{Email: name + "@banca.test", Name: name + name, Role: models.RoleAdmin}).ID)
	}
	var wg sync.WaitGroup
	for i, id := range admins {
		wg.Go(func() {
			switch i % 3 {
			case 0:
				_ = b.DeleteUser(t.Context(), b.admin(), id)
			case 1:
				_, _ = b.UpdateUser(t.Context(), b.admin(), id, &auth.UserChange{Role: new(models.RoleSocio)})
			default:
				_, _ = b.UpdateUser(t.Context(), b.admin(), id, &auth.UserChange{Status: new(models.StatusInactive)})
			}
		})
	}
	wg.Wait()
	left, _, err := b.Users(t.Context(), testkit.Within(b.root.Path), &auth.UserFilter{Role: models.RoleAdmin, Status: models.StatusActive, Limit: 10})
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.ErrorIs(t, b.DeleteUser(t.Context(), b.admin(), left[0].ID), auth.ErrLastAdmin)
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, p := b.enter(t, "caja-01")
	_, second := b.enter(t, "caja-01")
	require.ErrorIs(t, b.ChangePassword(t.Context(), first, "wrong horse", "another horse"), auth.ErrInvalidCredentials)
	require.ErrorIs(t, b.ChangePassword(t.Context(), first, password, "short"), auth.ErrWeakPassword)
	require.NoError(t, b.Authorised(t, second.token))
	require.NoError(t, b.ChangePassword(t.Context(), first, password, "another horse"))
	require.NoError(t, b.Authorised(t, p.token), "the session it was changed in")
	require.ErrorIs(t, b.Authorised(t, second.token), auth.ErrUnauthenticated)
	_, _, err := b.Login(t.Context(), auth.Credentials{Identifier: "caja-01", Password: password}, auth.Client{})
	require.ErrorIs(t, err, auth.ErrInvalidCredentials)

	require.NoError(t, b.ResetPassword(t.Context(), b.admin(), b.user.ID, password))
	require.ErrorIs(t, b.Authorised(t, p.token), auth.ErrUnauthenticated)
	b.enter(t, "caja-01")
	assert.Equal(t, []string{"users.create", "users.password_change", "users.password_reset"}, b.trail(t, b.user.ID))
}

// Each person who gave an account its credentials is recorded, and no other change counts as that.
func TestCredentialsGivenByAnotherPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	by := func(except ...uuid.UUID) []uuid.UUID {
		var ids []uuid.UUID
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT coalesce(array_agg(given_by ORDER BY given_at), '{}') FROM account_credentials
			WHERE user_id = $1 AND given_by <> ALL ($2)`, b.user.ID, append([]uuid.UUID{}, except...)).Scan(&ids))
		return ids
	}
	maker := by()
	require.Len(t, maker, 1, "created")
	admin, second, third, fourth := b.admin(), b.admin(), b.admin(), b.admin()
	b.clock.Advance(time.Second)
	require.NoError(t, b.ResetPassword(t.Context(), admin, b.user.ID, "another horse"))
	require.Equal(t, []uuid.UUID{admin.UserID}, by(maker...))
	own := caller.Caller{UserID: b.user.ID, EntityID: b.root.ID, Scope: testkit.Scope(b.root.Path), Role: models.RoleTaquilla, Permissions: auth.RolePermissions(models.RoleAdmin)}
	require.NoError(t, b.ChangePassword(t.Context(), own, "another horse", "a third horse"))
	require.Equal(t, []uuid.UUID{admin.UserID}, by(maker...))
	update := func(by caller.Caller, change auth.UserChange) {
		t.Helper()
		_, err := b.UpdateUser(t.Context(), by, b.user.ID, &change)
		require.NoError(t, err)
	}
	update(second, auth.UserChange{Name: new("Renamed"), Phone: new("+58 414 123 45 67"), Email: new("other@banca.test"), AuthMethod: new(models.AuthPassword)})
	update(own, auth.UserChange{Phone: new("0414-1110000")})
	update(second, auth.UserChange{Phone: new("")})
	require.Equal(t, []uuid.UUID{admin.UserID}, by(maker...), "a name, the stored phone, the own phone and no phone are no credentials given")
	b.clock.Advance(time.Second)
	update(third, auth.UserChange{Phone: new("0414-7654321")})
	b.clock.Advance(time.Second)
	update(fourth, auth.UserChange{Phone: new("0414-7654322")})
	require.Equal(t, []uuid.UUID{admin.UserID, third.UserID, fourth.UserID}, by(maker...), "the later ones do not replace the earlier ones")

	n, err := b.TrimCredentials(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	b.clock.Advance(24*time.Hour - 2*time.Second)
	n, err = b.TrimCredentials(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, n)
	require.Equal(t, []uuid.UUID{third.UserID, fourth.UserID}, by())
}

// A code that was sent stays valid while a request repeats the phone, and is void after the phone changed.
func TestACodeEndsWithItsPhone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user := b.caller(t)
	code := b.ask(t)
	enterAfter := func(phone string) error {
		t.Helper()
		_, err := b.UpdateUser(t.Context(), b.admin(), user.ID, &auth.UserChange{Phone: &phone, Name: new("Other")})
		require.NoError(t, err)
		return b.enterAs(t, phone, code)
	}
	require.NoError(t, enterAfter("0414 555 00 00"))
	b.clock.Advance(time.Minute)
	code = b.ask(t)
	require.ErrorIs(t, enterAfter("0414-5550001"), auth.ErrInvalidCredentials)
}

func (b *bundle) enterAs(t testing.TB, phone, code string) error {
	t.Helper()
	_, _, err := b.Login(t.Context(), auth.Credentials{Phone: phone, Code: code}, auth.Client{})
	return err
}

// A change of the caller's own password that waits for a change of the phone does not write back stale fields.
func TestAPasswordChangeKeepsTheAuthorOfThePhone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	giver, own := uuid.New(), caller.Caller{UserID: b.user.ID, EntityID: b.root.ID, Scope: testkit.Scope(b.root.Path)}
	tx, err := b.env.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `UPDATE users SET phone = '+584147654321' WHERE id = $1`, b.user.ID)
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `INSERT INTO account_credentials VALUES ($1, $2, $3)`, b.user.ID, giver, b.clock.Now())
	require.NoError(t, err)
	changed := make(chan error, 1)
	go func() { changed <- b.ChangePassword(t.Context(), own, password, "another horse") }()
	require.Eventually(t, func() bool { return b.env.WaitingForLocks(t) > 0 }, testkit.WaitTimeout, 10*time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-changed)
	var kept int
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM account_credentials c JOIN users u ON u.id = c.user_id
		WHERE given_by = $1 AND phone = '+584147654321'`, giver).Scan(&kept))
	require.Equal(t, 1, kept)
}
