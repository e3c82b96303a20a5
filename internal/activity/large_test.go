package activity_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/internal/platform/clock"
	"banca/storage"
)

// The list of changes reads no login, and most entries are logins: it reads a few blocks for each entry that a page shows or counts.
func TestTheListOfChangesReadsNoLogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.exec(t, `INSERT INTO activity_logs (id, at, user_name, entity_id, module, action, target, manual, details, address, user_agent)
		SELECT gen_random_uuid(), now(), 'x', $1, CASE WHEN g % 3000 = 0 THEN 'users' ELSE 'auth' END, CASE WHEN g % 3000 = 0 THEN 'update' ELSE 'login' END,
			'', false, '{}', '', '' FROM generate_series(1, 60000) g`, b.left))
	require.NoError(t, b.exec(t, `VACUUM (ANALYZE) activity_logs`))
	for _, by := range []string{"", activity.ByPeople, activity.BySystem} {
		blocks := b.BlocksRead(t, "activity_logs", func(pg *storage.Postgres) {
			_, _, err := activity.New(pg, clock.System{}).List(t.Context(), b.rootUser, &activity.Filter{By: by, Changes: true, Limit: 20})
			require.NoError(t, err)
		})
		assert.LessOrEqual(t, blocks, int64(400), "%q: the log has more than a thousand", by)
	}
}

// What was done to one object is found by an index of a large log.
func TestTheEntriesOfOneTargetReadFewBlocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	target := uuid.NewString()
	require.NoError(t, b.exec(t, `INSERT INTO activity_logs (id, at, user_name, entity_id, module, action, target, manual, details, address, user_agent)
		SELECT gen_random_uuid(), now(), 'x', $1, 'users', 'update', CASE WHEN g % 5000 = 0 THEN $2 ELSE gen_random_uuid()::text END, false, '{}', '', ''
		FROM generate_series(1, 20000) g`, b.left, target))
	require.NoError(t, b.exec(t, `VACUUM (ANALYZE) activity_logs`))
	blocks := b.BlocksRead(t, "activity_logs", func(pg *storage.Postgres) {
		list, total, err := activity.New(pg, clock.System{}).List(t.Context(), b.rootUser, &activity.Filter{Target: target, Limit: 20})
		require.NoError(t, err)
		assert.EqualValues(t, 4, total)
		assert.Len(t, list, 4)
	})
	assert.LessOrEqual(t, blocks, int64(100))
}
