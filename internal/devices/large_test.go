package devices_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/devices"
	"banca/storage"
)

const largeDevices = 30_000

// Pages of devices and of their sessions read what they show by an index; the counts read the tables once.
func TestListsOfDevicesReadFewBlocksOfManyDevices(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO devices (id, entity_id, name, fingerprint_hash, key_hash, status, created_by, created_at)
		SELECT gen_random_uuid(), $1, 'Caja ' || g, sha256(g::text::bytea), sha256('k'), 'active', $2, $3::timestamptz - g * interval '1 minute'
		FROM generate_series(1, $4::integer) g`, b.seller.EntityID, b.seller.UserID, b.clock.Now(), largeDevices)
	b.exec(t, `INSERT INTO user_sessions (id, user_id, token_hash, expires_at) VALUES ($1, $2, 'x', $3)`, b.seller.EntityID, b.seller.UserID, b.clock.Now())
	b.exec(t, `INSERT INTO device_sessions (id, device_id, user_id, user_session_id, status, created_at, ended_at, end_reason)
		SELECT gen_random_uuid(), d.id, $1, $2, 'inactive', d.created_at, d.created_at AS ended_at, 'logout' FROM devices d ORDER BY d.created_at`, b.seller.UserID, b.seller.EntityID)
	b.exec(t, `VACUUM (ANALYZE) devices, device_sessions`)
	b.exec(t, `ANALYZE users, entities`)
	for _, table := range []string{"devices", "device_sessions"} {
		var heap int64
		require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT relpages FROM pg_class WHERE relname = $1`, table).Scan(&heap))
		blocks := b.env.BlocksRead(t, table, func(pg *storage.Postgres) {
			s, err := devices.New(devices.Deps{PG: pg, Clock: b.clock, Log: b.env.Log, Events: b.news, Secret: []byte(secret)})
			require.NoError(t, err)
			var shown int
			var total int64
			if table == "devices" {
				var list []devices.Device
				list, total, err = s.Devices(t.Context(), b.admin, &devices.DeviceFilter{Limit: 20})
				shown = len(list)
			} else {
				var list []devices.Session
				list, total, err = s.Sessions(t.Context(), b.admin, &devices.SessionFilter{Limit: 20})
				shown = len(list)
			}
			require.NoError(t, err)
			assert.Equal(t, 20, shown, table)
			assert.EqualValues(t, storage.MaxCounted, total, table)
		})
		t.Logf("%s: %d blocks of %d", table, blocks, heap)
		assert.LessOrEqual(t, blocks, heap+200, table)
	}
	blocks := b.env.BlocksRead(t, "device_sessions", func(pg *storage.Postgres) {
		s, err := devices.New(devices.Deps{PG: pg, Clock: b.clock, Log: b.env.Log, Events: b.news, Secret: []byte(secret)})
		require.NoError(t, err)
		_, total, err := s.Sessions(t.Context(), b.admin, &devices.SessionFilter{UserID: b.agency.UserID, Limit: 20})
		require.NoError(t, err)
		assert.Zero(t, total)
	})
	assert.LessOrEqual(t, blocks, int64(60), "the sessions of one user")
}
