package devices_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/devices"
	"banca/internal/platform/caller"
	"banca/models"
)

// bind connects a session of the seller.
func (b *bundle) bind(t testing.TB, d devices.Device, s devices.Session) devices.Live {
	t.Helper()
	binding, err := b.MayBind(t.Context(), b.seller, devices.SessionRef{DeviceID: d.ID, SessionID: s.ID})
	require.NoError(t, err)
	require.NoError(t, b.Bind(t.Context(), &binding))
	return devices.Live{SessionID: s.ID, Number: binding.Number, UserSessionID: b.seller.SessionID, Path: binding.EntityPath}
}

func TestBindingRequiresThePermission(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	old, s := b.validate(t, d, print1), b.validate(t, d, print1)
	second := b.register(t, "fingerprint-2")
	colleague := b.user(t, &models.Entity{ID: b.seller.EntityID, Path: b.seller.Scope.Path(), Code: "2"}, models.RoleTaquilla)
	relogged := b.login(t, b.seller)
	may := func(by caller.Caller, device, session uuid.UUID) error {
		_, err := b.MayBind(t.Context(), by, devices.SessionRef{DeviceID: device, SessionID: session})
		return err
	}
	require.NoError(t, may(b.seller, d.ID, s.ID))
	require.ErrorIs(t, may(b.seller, d.ID, old.ID), devices.ErrSessionEnded, "a replay of an ended one")
	require.ErrorIs(t, may(colleague, d.ID, s.ID), devices.ErrSessionNotFound, "another user's session")
	require.ErrorIs(t, may(b.admin, d.ID, s.ID), devices.ErrSessionNotFound, "nor an administrator")
	require.ErrorIs(t, may(b.foreign, d.ID, s.ID), devices.ErrDeviceNotFound, "another branch")
	require.ErrorIs(t, may(b.seller, second.ID, s.ID), devices.ErrSessionNotFound, "of another device")
	require.ErrorIs(t, may(b.seller, d.ID, uuid.New()), devices.ErrSessionNotFound)
	require.ErrorIs(t, may(relogged, d.ID, s.ID), devices.ErrSessionEnded, "made in another login")
	for status, want := range map[string]error{
		models.StatusBlocked: devices.ErrBlocked, models.StatusSuspended: devices.ErrSuspended, models.StatusInactive: devices.ErrInactive,
	} {
		b.exec(t, `UPDATE devices SET status = $1`, status)
		require.ErrorIs(t, may(b.seller, d.ID, s.ID), want)
	}
	b.exec(t, `UPDATE devices SET status = 'active'`)
	_, err := b.SetSessionStatus(t.Context(), b.admin, s.ID, models.StatusSuspended)
	require.NoError(t, err)
	require.ErrorIs(t, may(b.seller, d.ID, s.ID), devices.ErrSessionHeld)
	b.exec(t, `UPDATE user_sessions SET ended_at = now(), end_reason = 'logout' WHERE id = $1`, b.seller.SessionID)
	require.ErrorIs(t, may(b.seller, d.ID, s.ID), auth.ErrUnauthenticated, "a token that another process has not forgotten yet")
}

func TestConnectionsOfASession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	s := b.validate(t, d, print1)
	first := b.bind(t, d, s)
	second := b.bind(t, d, s)
	assert.Greater(t, second.Number, first.Number)
	changed, err := b.Check(t.Context(), []devices.Live{first, second})
	require.NoError(t, err)
	require.Len(t, changed, 1)
	assert.Equal(t, []any{first.Number, devices.ReasonReplaced}, []any{changed[0].Number, changed[0].Reason})

	require.NoError(t, b.Release(t.Context(), []devices.Live{first}), "an older one says nothing of the session")
	assert.NotEqual(t, uuid.Nil, b.session(t, s.ID).ConnectionID)
	b.clock.Advance(80 * time.Second)
	require.NoError(t, b.Touch(t.Context(), []devices.Live{second}))
	b.clock.Advance(80 * time.Second)
	now := b.session(t, s.ID)
	assert.True(t, now.Online)
	b.clock.Advance(20 * time.Second)
	assert.False(t, b.session(t, s.ID).Online, "the process that held it is dead")
	require.NoError(t, b.Touch(t.Context(), []devices.Live{second}))
	require.NoError(t, b.Release(t.Context(), []devices.Live{second}))
	gone := b.session(t, s.ID)
	assert.Equal(t, []any{false, uuid.Nil, models.StatusActive}, []any{gone.Online, gone.ConnectionID, gone.Status})
	_, err = b.SetSessionStatus(t.Context(), b.admin, s.ID, models.StatusInactive)
	require.NoError(t, err)
	binding := devices.Binding{SessionID: s.ID}
	require.ErrorIs(t, b.Bind(t.Context(), &binding), devices.ErrSessionEnded)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	s := b.validate(t, d, print1)
	live := b.bind(t, d, s)
	reason := func() string {
		t.Helper()
		changed, err := b.Check(t.Context(), []devices.Live{live})
		require.NoError(t, err)
		if len(changed) == 0 {
			return ""
		}
		return changed[0].Reason
	}
	assert.Empty(t, reason())
	for _, step := range []struct{ sql, undo, reason string }{
		{`UPDATE users SET status = 'inactive'`, `UPDATE users SET status = 'active'`, "user_inactive"},
		{`UPDATE user_sessions SET ended_at = now()`, `UPDATE user_sessions SET ended_at = NULL`, "user_session_over"},
		{`UPDATE user_sessions SET expires_at = now() - interval '1 day'`, `UPDATE user_sessions SET expires_at = now() + interval '1 day'`, "user_session_over"},
		{`UPDATE devices SET status = 'blocked'`, `UPDATE devices SET status = 'active'`, "device_blocked"},
		{`UPDATE device_sessions SET status = 'suspended'`, `UPDATE device_sessions SET status = 'active'`, "suspended"},
		{`UPDATE users u SET entity_id = e.id FROM entities e WHERE e.code = 'OTH'`, `UPDATE users u SET entity_id = e.id FROM entities e WHERE e.code = 'TAQ'`, "out_of_scope"},
	} {
		b.exec(t, step.sql)
		assert.Equal(t, step.reason, reason(), step.sql)
		b.exec(t, step.undo)
		assert.Empty(t, reason(), step.undo)
	}
	live.Path = "/elsewhere/"
	changed, err := b.Check(t.Context(), []devices.Live{live})
	require.NoError(t, err)
	assert.Equal(t, []devices.Changed{{SessionID: s.ID, Number: live.Number, Path: b.seller.Scope.Path()}}, changed, "it was moved")
	live.SessionID = uuid.New()
	assert.Equal(t, "unknown", reason())
	none, err := b.Check(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestEndOrphansEndsSessionsWithoutAUserSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	s := b.validate(t, d, print1)
	n, err := b.EndOrphans(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	b.exec(t, `UPDATE user_sessions SET ended_at = now(), end_reason = 'logout' WHERE id = $1`, b.seller.SessionID)
	n, err = b.EndOrphans(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 1, n)
	assert.Equal(t, "user_session_over", b.session(t, s.ID).EndReason)
}

// What ends sessions in bulk takes no device's lock, and may meet any move of one of them.
func TestEndOrphansRunsConcurrentlyWithOtherChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	over := func() {
		t.Helper()
		b.exec(t, `UPDATE user_sessions SET ended_at = now(), end_reason = 'logout' WHERE id = $1`, b.seller.SessionID)
	}
	// meets runs a move while another transaction has changed the session, and commits that once the move waits for it.
	meets := func(s devices.Session, change string, move func() error) {
		t.Helper()
		tx, err := b.env.PG.Pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(t.Context()) }()
		_, err = tx.Exec(t.Context(), change, s.ID)
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() { done <- move() }()
		require.Eventually(t, func() bool { return b.env.WaitingForLocks(t) > 0 }, testkit.WaitTimeout, 5*time.Millisecond)
		require.NoError(t, tx.Commit(t.Context()))
		err = <-done
		require.True(t, err == nil || errors.Is(err, devices.ErrSessionMove), "%v", err)
	}
	const end = `UPDATE device_sessions SET status = 'inactive', ended_at = now(), end_reason = 'ended' WHERE id = $1`

	s := b.validate(t, d, print1)
	_, err := b.SetSessionStatus(t.Context(), b.admin, s.ID, models.StatusSuspended)
	require.NoError(t, err)
	meets(s, end, func() error {
		_, err := b.SetSessionStatus(t.Context(), b.admin, s.ID, models.StatusActive)
		return err
	})
	assert.Equal(t, models.StatusInactive, b.session(t, s.ID).Status, "it does not come back")

	s = b.validate(t, d, print1)
	over()
	meets(s, end, func() error {
		_, err := b.EndOrphans(t.Context())
		return err
	})
	assert.Equal(t, "ended", b.session(t, s.ID).EndReason, "the first reason stays")
}
