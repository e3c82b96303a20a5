package auth_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
)

// entered is a session as a test holds it.
type entered struct{ token string }

// enter logs a user in by any name and returns its principal.
func (b *bundle) enter(t testing.TB, name string) (caller.Caller, entered) {
	t.Helper()
	tokens, _, err := b.Login(t.Context(), auth.Credentials{Identifier: name, Password: password}, auth.Client{Address: "192.0.2.1", UserAgent: "till", Location: "Caracas", Fingerprint: "f1"})
	require.NoError(t, err)
	p, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	return p, entered{tokens.Access}
}

// Authorised reports whether an access token is good.
func (b *bundle) Authorised(t testing.TB, token string) error {
	t.Helper()
	_, err := b.Authenticate(t.Context(), token)
	return err
}

func TestSessionsRequireThePermission(t *testing.T) {
	t.Parallel()
	b := setup(t)
	left, right := b.entity(t, &b.root, models.EntityAgency, "L"), b.entity(t, &b.root, models.EntityAgency, "R")
	boss, other := b.adminOf(t, &left, "left@banca.test"), b.adminOf(t, &right, "right@banca.test")
	cashier, err := b.CreateUser(t.Context(), boss, &auth.NewUser{EntityID: left.ID, Email: "c@banca.test", Name: "C", Role: models.RoleTaquilla, Password: password})
	require.NoError(t, err)
	p, _ := b.enter(t, "c@banca.test")
	bossSession, _ := b.enter(t, "left@banca.test")

	see := func(who caller.Caller, f auth.SessionFilter) int {
		f.Limit = 10
		list, total, err := b.Sessions(t.Context(), who, &f)
		require.NoError(t, err)
		assert.EqualValues(t, len(list), total)
		return len(list)
	}
	assert.Equal(t, 2, see(boss, auth.SessionFilter{}))
	assert.Equal(t, 1, see(boss, auth.SessionFilter{UserID: cashier.ID}))
	assert.Equal(t, 0, see(other, auth.SessionFilter{UserID: cashier.ID}))
	assert.Equal(t, 1, see(p, auth.SessionFilter{}), "the own")
	assert.Equal(t, 0, see(p, auth.SessionFilter{UserID: boss.UserID}))
	assert.Equal(t, 0, see(caller.Caller{Permissions: auth.RolePermissions(models.RoleAdmin)}, auth.SessionFilter{}), "an empty scope")

	s, err := b.Session(t.Context(), boss, p.SessionID)
	require.NoError(t, err)
	assert.Equal(t, auth.Client{Address: "192.0.2.1", UserAgent: "till", Location: "Caracas", Fingerprint: "f1"}, s.Client)
	assert.True(t, s.Active)
	for _, who := range []caller.Caller{other, {}} {
		_, err = b.Session(t.Context(), who, p.SessionID)
		require.ErrorIs(t, err, auth.ErrSessionNotFound)
		_, err = b.TerminateSession(t.Context(), who, p.SessionID)
		require.ErrorIs(t, err, auth.ErrSessionNotFound)
		_, err = b.ExtendSession(t.Context(), who, p.SessionID, b.clock.Now().Add(time.Hour))
		require.ErrorIs(t, err, auth.ErrSessionNotFound)
	}
	_, err = b.TerminateSession(t.Context(), p, bossSession.SessionID)
	require.ErrorIs(t, err, auth.ErrSessionNotFound, "a cashier ends no session of another")
}

func TestASessionIsExtendedAndEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, s := b.enter(t, "caja-01")
	for name, at := range map[string]time.Duration{"past": -time.Second, "now": 0, "beyond a login's": 721 * time.Hour} {
		_, err := b.ExtendSession(t.Context(), b.admin(), p.SessionID, b.clock.Now().Add(at))
		require.ErrorIs(t, err, auth.ErrSessionTime, name)
	}
	until := b.clock.Now().Add(time.Hour).Truncate(time.Microsecond)
	extended, err := b.ExtendSession(t.Context(), b.admin(), p.SessionID, until)
	require.NoError(t, err)
	assert.True(t, until.Equal(extended.ExpiresAt))

	live, gone := true, false
	ended, err := b.TerminateSession(t.Context(), b.admin(), p.SessionID)
	require.NoError(t, err)
	assert.False(t, ended.Active)
	assert.Equal(t, "terminated", ended.EndReason)
	require.ErrorIs(t, b.Authorised(t, s.token), auth.ErrUnauthenticated, "at once")
	_, err = b.TerminateSession(t.Context(), b.admin(), p.SessionID)
	require.ErrorIs(t, err, auth.ErrSessionEnded)
	_, err = b.ExtendSession(t.Context(), b.admin(), p.SessionID, until)
	require.ErrorIs(t, err, auth.ErrSessionEnded)
	_, err = b.TerminateSession(t.Context(), b.admin(), uuid.New())
	require.ErrorIs(t, err, auth.ErrSessionNotFound)
	for active, want := range map[*bool]int{&live: 0, &gone: 1} {
		list, _, err := b.Sessions(t.Context(), b.admin(), &auth.SessionFilter{Active: active, Limit: 10})
		require.NoError(t, err)
		assert.Len(t, list, want)
	}
	assert.Equal(t, []string{"auth.login", "sessions.extend", "sessions.terminate"}, b.trail(t, p.SessionID))
}

// A user ends an own session, such as a lost phone's, without a permission.
func TestUsersEndTheirOwnSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lost, token := b.enter(t, "caja-01")
	mine, _ := b.enter(t, "caja-01")
	_, err := b.TerminateSession(t.Context(), mine, lost.SessionID)
	require.NoError(t, err)
	require.ErrorIs(t, b.Authorised(t, token.token), auth.ErrUnauthenticated)
	require.NoError(t, b.Logout(t.Context(), mine))
	require.NoError(t, b.Logout(t.Context(), mine), "twice is no error")
	assert.Equal(t, []string{"auth.login", "auth.logout"}, b.trail(t, mine.SessionID))
}

// Refreshes do not move an end that a person set.
func TestARefreshDoesNotMoveAnEndSetByAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	p, err := b.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	end := func() time.Time {
		s, err := b.Session(t.Context(), b.admin(), p.SessionID)
		require.NoError(t, err)
		return s.ExpiresAt
	}
	refresh := func() {
		t.Helper()
		tokens, _, err = b.Refresh(t.Context(), tokens.Refresh)
		require.NoError(t, err)
	}
	b.clock.Advance(time.Hour)
	refresh()
	assert.WithinDuration(t, b.clock.Now().Add(720*time.Hour), end(), time.Second, "no end was set: a refresh moves it")

	set := b.clock.Now().Add(2 * time.Hour).Truncate(time.Microsecond)
	_, err = b.ExtendSession(t.Context(), b.admin(), p.SessionID, set)
	require.NoError(t, err)
	b.clock.Advance(time.Hour)
	refresh()
	assert.True(t, set.Equal(end()), "brought forward")
	later := set.Add(4 * time.Hour)
	_, err = b.ExtendSession(t.Context(), b.admin(), p.SessionID, later)
	require.NoError(t, err)
	refresh()
	assert.True(t, later.Equal(end()), "put off")
	b.clock.Advance(5 * time.Hour)
	_, _, err = b.Refresh(t.Context(), tokens.Refresh)
	require.ErrorIs(t, err, auth.ErrInvalidRefresh)
	require.Error(t, b.Authorised(t, tokens.Access))
}

// A user who was inactive for a while does not get the earlier sessions back.
func TestSessionsOfAnInactiveUserStayEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens := b.login(t)
	inactive, active := models.StatusInactive, models.StatusActive
	for _, status := range []*string{&inactive, &active} {
		_, err := b.UpdateUser(t.Context(), b.admin(), b.user.ID, &auth.UserChange{Status: status})
		require.NoError(t, err)
	}
	_, _, err := b.Refresh(t.Context(), tokens.Refresh)
	require.ErrorIs(t, err, auth.ErrInvalidRefresh)
	require.ErrorIs(t, b.Authorised(t, tokens.Access), auth.ErrUnauthenticated)
	assert.Equal(t, "disabled", b.reason(t))
}

// A browser's session ends twelve hours after its login at the latest.
func TestABrowsersSessionIsNotExtended(t *testing.T) {
	t.Parallel()
	b := setup(t)
	tokens, _, err := b.LoginBrowser(t.Context(), auth.Credentials{Identifier: "caja-01", Password: password}, auth.Client{})
	require.NoError(t, err)
	p, err := b.AuthenticateBrowser(t.Context(), tokens.Session)
	require.NoError(t, err)
	latest := b.clock.Now().Add(auth.BrowserTTL).Truncate(time.Microsecond)
	move := func(end time.Time) error {
		_, err := b.ExtendSession(t.Context(), b.admin(), p.SessionID, end)
		return err
	}
	b.clock.Advance(time.Hour)
	require.ErrorIs(t, move(latest.Add(time.Second)), auth.ErrSessionTime)
	require.NoError(t, move(latest.Add(-6*time.Hour)))
	require.NoError(t, move(latest))
	b.clock.Advance(auth.BrowserTTL - time.Hour)
	b.Forget()
	_, err = b.AuthenticateBrowser(t.Context(), tokens.Session)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
}
