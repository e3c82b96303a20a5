package auth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

const (
	largeSessions = 40_000
	sellers       = 500
	liveOf        = 400 // one session in liveOf is live
)

// A page of sessions reads the sessions it shows by an index. The count for an agency reads its sessions, the count for
// the operator the whole table once.
func TestListsOfSessionsReadFewBlocksOfManySessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agency := b.entity(t, &b.root, models.EntityAgency, "L")
	boss := b.adminOf(t, &agency, "left@banca.test")
	b.enter(t, "left@banca.test")
	b.exec(t, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, status)
		SELECT id, 'AGENCY', 'Many', id, $1, $2 || id || '/', 'active' FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $3::integer)) x`, b.root.ID, b.root.Path, sellers)
	b.exec(t, `INSERT INTO users (id, entity_id, identifier, name, role, password_hash) SELECT gen_random_uuid(), id, 'many-' || id, 'Many', 'TAQUILLA', 'x'
		FROM entities WHERE name = 'Many'`)
	b.fill(t, `INSERT INTO user_sessions (id, user_id, token_hash, expires_at, ended_at, end_reason, created_at)
		SELECT gen_random_uuid(), u.id, 'x', at + interval '100 days', CASE WHEN g % $4 <> 0 THEN at END, CASE WHEN g % $4 <> 0 THEN 'logout' END, at
		FROM (SELECT id, row_number() OVER () AS n FROM users WHERE name = 'Many') u
			JOIN generate_series(1, $1::integer) g ON g % $2 + 1 = u.n, LATERAL (SELECT $3::timestamptz - g * interval '1 minute' AS at) x`, largeSessions, sellers, b.clock.Now(), liveOf)
	b.exec(t, `VACUUM (ANALYZE) user_sessions`)
	b.exec(t, `ANALYZE users, entities`)
	var heap int64
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT relpages FROM pg_class WHERE relname = 'user_sessions'`).Scan(&heap))
	require.Greater(t, heap, int64(600))
	live := true
	for _, tt := range []struct {
		name   string
		by     caller.Caller
		filter auth.SessionFilter
		total  int64
		most   int64 // blocks
	}{
		{"the operator", b.admin(), auth.SessionFilter{}, largeSessions + 1, heap + 150},
		{"the operator, live ones", b.admin(), auth.SessionFilter{Active: &live}, largeSessions/liveOf + 1, 450},
		{"an agency", boss, auth.SessionFilter{}, 1, 100},
	} {
		tt.filter.Limit = 20
		blocks := b.env.BlocksRead(t, "user_sessions", func(pg *storage.Postgres) {
			other, env := *b, *b.env
			env.PG, other.env = pg, &env
			list, total, err := other.service(t, b.env.Redis).Sessions(t.Context(), tt.by, &tt.filter)
			require.NoError(t, err, tt.name)
			assert.Equal(t, min(tt.total, storage.MaxCounted), total, tt.name)
			assert.Len(t, list, int(min(total, 20)), tt.name)
			for i := 1; i < len(list); i++ {
				assert.False(t, list[i].CreatedAt.After(list[i-1].CreatedAt), tt.name)
			}
		})
		t.Logf("%s: %d blocks of %d", tt.name, blocks, heap)
		assert.LessOrEqual(t, blocks, tt.most, tt.name)
	}
}
