package devices_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/devices"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/realtime"
	"banca/models"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d, key, err := b.Register(t.Context(), b.seller, &devices.NewDevice{Name: " Caja 1 ", Fingerprint: print1, Info: json.RawMessage(`{"os":"Android"}`)})
	require.NoError(t, err)
	assert.Equal(t, []any{"Caja 1", models.StatusActive, b.seller.EntityID, false}, []any{d.Name, d.Status, d.EntityID, d.Online})
	assert.JSONEq(t, `{"os":"Android"}`, string(d.Info))
	read, err := b.Device(t.Context(), b.agency, d.ID)
	require.NoError(t, err)
	d.Info, read.Info = nil, nil
	assert.Equal(t, d, read)

	var row models.Device
	require.NoError(t, b.env.PG.Gorm.Take(&row).Error)
	stored := fmt.Sprintf("%s%s%+v", row.KeyHash, row.FingerprintHash, row)
	assert.NotContains(t, stored, print1)
	assert.NotContains(t, stored, strings.Split(key, ".")[1])

	add := func(by caller.Caller, entity uuid.UUID, fingerprint string) error {
		_, _, err := b.Register(t.Context(), by, &devices.NewDevice{EntityID: entity, Name: "N", Fingerprint: fingerprint})
		return err
	}
	require.ErrorIs(t, add(b.seller, uuid.Nil, print1), devices.ErrDeviceExists)
	require.ErrorIs(t, add(b.agency, b.seller.EntityID, print1), devices.ErrDeviceExists)
	require.NoError(t, add(b.foreign, uuid.Nil, print1), "the same fingerprint elsewhere is nobody's business here")
	require.ErrorIs(t, add(b.seller, b.agency.EntityID, "another-one"), devices.ErrEntityNotFound, "above him")
	require.ErrorIs(t, add(b.agency, b.foreign.EntityID, "another-one"), devices.ErrEntityNotFound, "beside him")
	require.ErrorIs(t, add(b.agency, uuid.New(), "another-one"), devices.ErrEntityNotFound)
	cashier := b.agency
	cashier.Permissions = auth.RolePermissions(models.RoleTaquilla)
	require.ErrorIs(t, add(cashier, b.seller.EntityID, "another-one"), devices.ErrOwnEntityOnly)
	require.NoError(t, add(b.agency, b.seller.EntityID, "another-one"))
}

func TestRegisterRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for at, list := range map[string][]devices.NewDevice{
		"name":        {{Fingerprint: print1}, {Name: "  ", Fingerprint: print1}, {Name: strings.Repeat("x", 101), Fingerprint: print1}, {Name: "a\x00b", Fingerprint: print1}},
		"fingerprint": {{Name: "N"}, {Name: "N", Fingerprint: "short"}, {Name: "N", Fingerprint: strings.Repeat("x", 513)}, {Name: "N", Fingerprint: "zero-zero\x00"}},
		"info": {
			{Name: "N", Fingerprint: print1, Info: json.RawMessage(`[]`)}, {Name: "N", Fingerprint: print1, Info: json.RawMessage(`{"a":"\u0000"}`)},
			{Name: "N", Fingerprint: print1, Info: json.RawMessage(`{`)}, {Name: "N", Fingerprint: print1, Info: json.RawMessage(`{"a":"` + strings.Repeat("x", 4096) + `"}`)},
		},
	} {
		for i := range list {
			_, _, err := b.Register(t.Context(), b.seller, &list[i])
			require.ErrorIs(t, err, devices.ErrInvalidDevice)
			assert.Equal(t, at, apperr.From(err).Details[0].Location)
		}
	}
	assert.Zero(t, b.count(t, `SELECT count(*) FROM devices`))
}

// Many at once: a fingerprint is taken once, and the bound holds.
func TestRegisterAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	for i := range 130 {
		wg.Go(func() {
			_, _, err := b.Register(t.Context(), b.seller, &devices.NewDevice{Name: "N", Fingerprint: fmt.Sprintf("fingerprint-%d", i/2)})
			if err != nil {
				assert.ErrorIs(t, err, devices.ErrDeviceExists)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 65, b.count(t, `SELECT count(*) FROM devices`))
	for i := range 50 {
		wg.Go(func() {
			_, _, err := b.Register(t.Context(), b.seller, &devices.NewDevice{Name: "N", Fingerprint: fmt.Sprintf("of-another-kind-%d", i)})
			if err != nil {
				assert.ErrorIs(t, err, devices.ErrTooManyDevices)
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 100, b.count(t, `SELECT count(*) FROM devices`))
}

func TestVerifyKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d, key, err := b.Register(t.Context(), b.seller, &devices.NewDevice{Name: "N", Fingerprint: print1})
	require.NoError(t, err)
	got, err := b.VerifyKey(t.Context(), b.seller, key)
	require.NoError(t, err)
	assert.Equal(t, d.ID, got.ID)
	other := map[bool]string{true: "A", false: "Q"}[strings.HasSuffix(key, "Q")]
	for _, wrong := range []string{"", ".", key + "x", key[:len(key)-2] + other + "A", uuid.NewString() + key[36:], strings.Repeat("x", 10_000)} {
		_, err := b.VerifyKey(t.Context(), b.seller, wrong)
		require.ErrorIs(t, err, devices.ErrDeviceKey, wrong)
	}
	_, err = b.VerifyKey(t.Context(), b.agency, key)
	require.ErrorIs(t, err, devices.ErrDeviceKey, "another entity's, though below")
	for _, status := range []string{models.StatusSuspended, models.StatusBlocked, models.StatusInactive} {
		b.exec(t, `UPDATE devices SET status = $1`, status)
		_, err = b.VerifyKey(t.Context(), b.seller, key)
		require.ErrorIs(t, err, devices.ErrDeviceKey, status)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	v, err := b.Validate(t.Context(), b.seller, d.ID, print1)
	require.NoError(t, err)
	assert.True(t, v.Device.Online)
	assert.Equal(t, d.ID, v.Device.ID)
	assert.Equal(t, v.Session.ID, v.Device.SessionID)
	assert.Equal(t, []any{"TAQ", "AGE"}, []any{v.Entity.Code, v.Entity.Parent.Code})
	assert.Equal(t, []any{models.StatusActive, true, b.seller.UserID, b.seller.SessionID}, []any{v.Session.Status, v.Session.Online, v.Session.UserID, v.Session.UserSessionID})
	assert.Empty(t, b.news.take())

	again := b.validate(t, d, print1)
	first := b.session(t, v.Session.ID)
	assert.Equal(t, []any{models.StatusInactive, "replaced", false}, []any{first.Status, first.EndReason, first.Online})
	assert.Equal(t, []realtime.Audience{realtime.DeviceSession(v.Session.ID)}, b.news.take())

	_, err = b.Validate(t.Context(), b.seller, d.ID, print1+" ")
	require.ErrorIs(t, err, devices.ErrFingerprint)
	assert.Equal(t, models.StatusActive, b.session(t, again.ID).Status, "a mismatch changes nothing")
	assert.Empty(t, b.news.take())
	events, err := b.Events(t.Context(), b.seller, d.ID)
	require.NoError(t, err)
	assert.Equal(t, []string{models.DeviceMismatch, models.DeviceValidated, models.DeviceValidated, models.DeviceRegistered},
		[]string{events[0].Kind, events[1].Kind, events[2].Kind, events[3].Kind})
	_, err = b.Validate(t.Context(), b.foreign, d.ID, print1)
	require.ErrorIs(t, err, devices.ErrDeviceNotFound, "another branch")
	_, err = b.Validate(t.Context(), b.seller, uuid.New(), print1)
	require.ErrorIs(t, err, devices.ErrDeviceNotFound)

	for status, want := range map[string]error{
		models.StatusBlocked: devices.ErrBlocked, models.StatusSuspended: devices.ErrSuspended, models.StatusInactive: devices.ErrInactive,
	} {
		b.exec(t, `UPDATE devices SET status = $1`, status)
		_, err = b.Validate(t.Context(), b.seller, d.ID, print1)
		require.ErrorIs(t, err, want)
		_, err = b.Validate(t.Context(), b.seller, d.ID, "a guess of mine")
		require.ErrorIs(t, err, devices.ErrFingerprint, "who does not know it learns nothing of the status")
	}
	assert.Equal(t, 1, b.count(t, `SELECT count(*) FROM device_sessions WHERE status = 'active'`))
}

func TestWrongFingerprintsDoNotFillTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	for range 70 {
		_, err := b.Validate(t.Context(), b.seller, d.ID, "a guess of mine")
		require.ErrorIs(t, err, devices.ErrFingerprint)
	}
	const query = `SELECT count(*) FROM device_events WHERE kind = 'fingerprint_mismatch'`
	assert.Equal(t, 60, b.count(t, query))
	b.clock.Advance(time.Hour + time.Second)
	_, err := b.Validate(t.Context(), b.seller, d.ID, "a guess of mine")
	require.ErrorIs(t, err, devices.ErrFingerprint)
	assert.Equal(t, 61, b.count(t, query))
}

// Of many validations at once each succeeds, and one session is left.
func TestValidateAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	var wg sync.WaitGroup
	sessions := make([]uuid.UUID, 50)
	for i := range sessions {
		wg.Go(func() {
			v, err := b.Validate(t.Context(), b.seller, d.ID, print1)
			if assert.NoError(t, err) {
				sessions[i] = v.Session.ID
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 50, b.count(t, `SELECT count(*) FROM device_sessions`))
	assert.Equal(t, 1, b.count(t, `SELECT count(*) FROM device_sessions WHERE status <> 'inactive'`))
	assert.Len(t, b.news.take(), 49, "each of the others is told")
}

func TestStatusMoves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	statuses := []string{models.StatusActive, models.StatusSuspended, models.StatusBlocked, models.StatusInactive}
	allowed := map[string]string{
		models.StatusActive: "suspended blocked inactive", models.StatusSuspended: "active blocked inactive",
		models.StatusBlocked: "active inactive", models.StatusInactive: "active blocked",
	}
	d := b.register(t, print1)
	for _, from := range statuses {
		for _, to := range statuses {
			b.exec(t, `UPDATE devices SET status = $1`, from)
			got, err := b.SetStatus(t.Context(), b.agency, d.ID, to)
			if from == to || strings.Contains(allowed[from], to) {
				require.NoError(t, err, "%s to %s", from, to)
				assert.Equal(t, to, got.Status)
				continue
			}
			require.ErrorIs(t, err, devices.ErrStatusMove, "%s to %s", from, to)
			assert.Equal(t, 1, b.count(t, `SELECT count(*) FROM devices WHERE status = $1`, from), "nothing happened")
		}
	}
	_, err := b.SetStatus(t.Context(), b.foreign, d.ID, models.StatusBlocked)
	require.ErrorIs(t, err, devices.ErrDeviceNotFound)
}

func TestSessionsFollowTheirDevice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	move := func(status string) {
		t.Helper()
		_, err := b.SetStatus(t.Context(), b.agency, d.ID, status)
		require.NoError(t, err)
	}
	s := b.validate(t, d, print1)
	move(models.StatusSuspended)
	assert.Equal(t, models.StatusSuspended, b.session(t, s.ID).Status)
	assert.Equal(t, []realtime.Audience{realtime.DeviceSession(s.ID)}, b.news.take())
	_, err := b.SetSessionStatus(t.Context(), b.agency, s.ID, models.StatusActive)
	require.ErrorIs(t, err, devices.ErrSuspended, "not while the device is suspended")
	move(models.StatusActive)
	assert.Equal(t, models.StatusActive, b.session(t, s.ID).Status)
	assert.Empty(t, b.news.take())

	_, err = b.SetSessionStatus(t.Context(), b.agency, s.ID, models.StatusSuspended)
	require.NoError(t, err)
	assert.Equal(t, []realtime.Audience{realtime.DeviceSession(s.ID)}, b.news.take())
	move(models.StatusSuspended)
	move(models.StatusActive)
	assert.Equal(t, models.StatusSuspended, b.session(t, s.ID).Status, "what was suspended by hand is not revived with the device")
	assert.Empty(t, b.news.take())

	move(models.StatusBlocked)
	ended := b.session(t, s.ID)
	assert.Equal(t, []any{models.StatusInactive, "device_blocked"}, []any{ended.Status, ended.EndReason})
	assert.Equal(t, []realtime.Audience{realtime.DeviceSession(s.ID)}, b.news.take())
	move(models.StatusActive)
	assert.Equal(t, models.StatusInactive, b.session(t, s.ID).Status, "blocked is for good")
	for _, status := range []string{models.StatusActive, models.StatusSuspended} {
		_, err = b.SetSessionStatus(t.Context(), b.agency, s.ID, status)
		require.ErrorIs(t, err, devices.ErrSessionMove)
	}
	s = b.validate(t, d, print1)
	move(models.StatusInactive)
	assert.Equal(t, "device_inactive", b.session(t, s.ID).EndReason)
	_, err = b.SetSessionStatus(t.Context(), b.foreign, s.ID, models.StatusInactive)
	require.ErrorIs(t, err, devices.ErrSessionNotFound)
}

func TestSessionsAreMovedByHand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	s := b.validate(t, d, print1)
	for _, step := range []struct{ to, reason string }{{models.StatusSuspended, ""}, {models.StatusActive, ""}, {models.StatusActive, ""}, {models.StatusInactive, "ended"}, {models.StatusInactive, "ended"}} {
		got, err := b.SetSessionStatus(t.Context(), b.agency, s.ID, step.to)
		require.NoError(t, err)
		assert.Equal(t, []any{step.to, step.reason}, []any{got.Status, got.EndReason})
	}
	assert.Len(t, b.news.take(), 2, "suspended and ended, once each")
	next := b.validate(t, d, print1)
	assert.Equal(t, models.StatusActive, next.Status)
	assert.Empty(t, b.news.take(), "there was none to end")
}

// A session that an administrator suspended is not replaced by showing the device again.
func TestValidatingADeviceDoesNotReplaceASuspendedSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	s := b.validate(t, d, print1)
	_, err := b.SetSessionStatus(t.Context(), b.agency, s.ID, models.StatusSuspended)
	require.NoError(t, err)
	_, err = b.Validate(t.Context(), b.seller, d.ID, print1)
	require.ErrorIs(t, err, devices.ErrSessionHeld)
	same, err := b.Session(t.Context(), b.agency, s.ID)
	require.NoError(t, err)
	assert.Equal(t, models.StatusSuspended, same.Status)
	_, err = b.SetSessionStatus(t.Context(), b.agency, s.ID, models.StatusInactive)
	require.NoError(t, err)
	b.validate(t, d, print1)
}

func TestListsAndScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.register(t, print1)
	s := b.validate(t, d, print1)
	_, _, err := b.Register(t.Context(), b.foreign, &devices.NewDevice{Name: "100% other", Fingerprint: print1})
	require.NoError(t, err)
	names := func(by caller.Caller, f devices.DeviceFilter) string {
		f.Limit = 10
		list, total, err := b.Devices(t.Context(), by, &f)
		require.NoError(t, err)
		require.Len(t, list, int(total))
		var text strings.Builder
		for _, one := range list {
			text.WriteString(one.Name + ";")
		}
		return text.String()
	}
	assert.Equal(t, "100% other;Caja;", names(b.admin, devices.DeviceFilter{}))
	assert.Equal(t, "Caja;", names(b.agency, devices.DeviceFilter{}))
	assert.Empty(t, names(caller.Caller{}, devices.DeviceFilter{}))
	assert.Equal(t, "100% other;", names(b.admin, devices.DeviceFilter{Text: "% OTH"}))
	assert.Equal(t, "Caja;", names(b.admin, devices.DeviceFilter{EntityID: b.seller.EntityID, Status: models.StatusActive}))
	assert.Empty(t, names(b.admin, devices.DeviceFilter{Status: models.StatusBlocked}))

	sessions := func(by caller.Caller, f devices.SessionFilter) int {
		f.Limit = 10
		list, total, err := b.Sessions(t.Context(), by, &f)
		require.NoError(t, err)
		require.Len(t, list, int(total))
		return len(list)
	}
	assert.Equal(t, 1, sessions(b.agency, devices.SessionFilter{DeviceID: d.ID, UserID: b.seller.UserID, EntityID: d.EntityID, Status: models.StatusActive, Online: true}))
	assert.Zero(t, sessions(b.foreign, devices.SessionFilter{}))
	assert.Zero(t, sessions(b.agency, devices.SessionFilter{DeviceID: uuid.New()}))
	_, err = b.Session(t.Context(), b.foreign, s.ID)
	require.ErrorIs(t, err, devices.ErrSessionNotFound)
	_, err = b.Events(t.Context(), b.foreign, d.ID)
	require.ErrorIs(t, err, devices.ErrDeviceNotFound)
	b.clock.Advance(3 * time.Minute)
	assert.Zero(t, sessions(b.agency, devices.SessionFilter{Online: true}), "it never connected")
	renamed, err := b.Rename(t.Context(), b.agency, d.ID, " Caja 2 ")
	require.NoError(t, err)
	assert.Equal(t, []any{"Caja 2", false}, []any{renamed.Name, renamed.Online})
	_, err = b.Rename(t.Context(), b.agency, d.ID, " ")
	require.ErrorIs(t, err, devices.ErrInvalidDevice)
	_, err = b.Rename(t.Context(), b.foreign, d.ID, "x")
	require.ErrorIs(t, err, devices.ErrDeviceNotFound)
}
