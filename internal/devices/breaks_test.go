package devices_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/devices"
	"banca/models"
)

// breakable is a bundle and the same service over connections that break.
type breakable struct {
	*bundle
	*testkit.Breaker
	broken *devices.Service
}

// state returns a digest of the rows that changes of devices write.
func (b *breakable) state(t testing.TB) (digest string) {
	t.Helper()
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT md5(string_agg(x, '|' ORDER BY x)) FROM (SELECT d::text AS x FROM devices d
		UNION ALL SELECT s::text FROM device_sessions s UNION ALL SELECT e::text FROM device_events e UNION ALL SELECT l::text FROM activity_logs l) x`).Scan(&digest))
	return digest
}

// change makes a change whose connection breaks at each of its statements, and then not. The broken ones have no effect, and
// the answer of the last is what read returns.
func change[T any](t *testing.T, b *breakable, name string, do, read func() (T, error)) {
	t.Helper()
	before := b.state(t)
	var answer T
	require.Positive(t, b.Each(t, func() (err error) { answer, err = do(); return err }, func(error) {
		require.Equal(t, before, b.state(t), "%s: a change that was done is not answered with an error", name)
	}), name)
	stored, err := read()
	require.NoError(t, err, name)
	require.Equal(t, stored, answer, name)
}

// A change whose connection breaks at any statement, the commit included, has no effect. The answer to a change that was done
// needs no further statement.
func TestABrokenChangeHasNoEffect(t *testing.T) {
	t.Parallel()
	b := &breakable{bundle: setup(t)}
	b.Breaker = b.env.Breaker(t)
	var err error
	b.broken, err = devices.New(devices.Deps{PG: b.PG, Clock: b.clock, Log: b.env.Log, Events: b.news, Secret: []byte(secret)})
	require.NoError(t, err)
	ctx := t.Context()
	d := b.register(t, print1)
	readDevice := func() (devices.Device, error) { return b.Device(ctx, b.admin, d.ID) }
	var last uuid.UUID
	for _, name := range []string{"validate", "replace the session"} {
		var v devices.Validated
		change(t, b, name, func() (devices.Device, error) {
			v, err = b.broken.Validate(ctx, b.seller, d.ID, print1)
			return v.Device, err
		}, readDevice)
		require.Equal(t, b.session(t, v.Session.ID), v.Session, name)
		last = v.Session.ID
	}
	change(t, b, "rename", func() (devices.Device, error) { return b.broken.Rename(ctx, b.admin, d.ID, "Caja 2") }, readDevice)
	change(t, b, "keep the name", func() (devices.Device, error) { return b.broken.Rename(ctx, b.admin, d.ID, "Caja 2") }, readDevice)
	for _, status := range []string{models.StatusSuspended, models.StatusActive, models.StatusActive} {
		change(t, b, "device "+status, func() (devices.Device, error) { return b.broken.SetStatus(ctx, b.admin, d.ID, status) }, readDevice)
	}
	for _, status := range []string{models.StatusSuspended, models.StatusActive, models.StatusActive, models.StatusInactive} {
		change(t, b, "session "+status, func() (devices.Session, error) { return b.broken.SetSessionStatus(ctx, b.admin, last, status) },
			func() (devices.Session, error) { return b.Session(ctx, b.admin, last) })
	}
	for _, status := range []string{models.StatusBlocked, models.StatusInactive} {
		change(t, b, "device "+status, func() (devices.Device, error) { return b.broken.SetStatus(ctx, b.admin, d.ID, status) }, readDevice)
	}
}
