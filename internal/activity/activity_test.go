package activity_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"banca/internal/activity"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/setup/seed"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

type bundle struct {
	*testkit.Env
	s          *activity.Service
	root, left uuid.UUID
	rootUser   caller.Caller
	leftUser   caller.Caller
}

func setup(t *testing.T) *bundle {
	t.Helper()
	env := testkit.New(t)
	b := &bundle{Env: env, s: activity.New(env.PG, clock.System{}), root: uuid.Must(uuid.NewV7())}
	require.NoError(t, seed.Run(t.Context(), env.PG, seed.Options{Root: b.root, HashPassword: func(string) (string, error) { return "x", nil }}))
	var path string
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT id, path FROM entities WHERE code = $1`, seed.CodeAgency).Scan(&b.left, &path))
	b.rootUser, b.leftUser = testkit.Operator(b.root), testkit.Within(path)
	return b
}

func (b *bundle) record(t *testing.T, ctx context.Context, e activity.Entry) {
	t.Helper()
	require.NoError(t, b.PG.Gorm.Transaction(func(tx *gorm.DB) error { return activity.RecordTx(ctx, tx, e) }))
}

// link runs Link and requires that it links want entries.
func (b *bundle) link(t *testing.T, want int) {
	t.Helper()
	linked, err := b.s.Link(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, linked)
}

func (b *bundle) exec(t *testing.T, sql string, args ...any) error {
	t.Helper()
	_, err := b.PG.Pool.Exec(t.Context(), sql, args...)
	return err
}

func TestAnEntryHasActorActionAndAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	actor := activity.Actor{UserID: uuid.Must(uuid.NewV7()), SessionID: uuid.Must(uuid.NewV7()), Name: "Ana\x00 \xff", Address: "10.0.0.1", UserAgent: strings.Repeat("é", 400)}
	ctx := activity.WithActor(t.Context(), actor)
	b.record(t, ctx, activity.Entry{
		Action: activity.UsersCreate, EntityID: b.left, Target: "x", Details: map[string]any{"b": 1, "a": "ñ"},
	})
	require.NoError(t, b.PG.InTx(ctx, func(tx pgx.Tx) error {
		return activity.RecordPgxTx(ctx, tx, activity.Entry{Action: activity.BankPaymentsAssign, EntityID: b.root})
	}))
	b.record(t, t.Context(), activity.Entry{
		Action: activity.SessionsTerminate, EntityID: b.root, Details: strings.Repeat("x", 20_000),
	})

	list, total, err := b.s.List(t.Context(), b.rootUser, &activity.Filter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.EqualValues(t, 3, total)
	first := list[2]
	assert.Equal(t, actor.UserID, first.UserID)
	assert.Equal(t, actor.SessionID, first.SessionID)
	assert.Equal(t, "Ana ", first.UserName)
	assert.JSONEq(t, `{"a":"ñ","b":1}`, string(first.Details))
	assert.LessOrEqual(t, len(first.UserAgent), 300)
	assert.WithinDuration(t, time.Now(), first.At, time.Minute)
	assert.Equal(t, uuid.Nil, list[0].UserID, "the service itself")
	assert.JSONEq(t, `{"truncated":true}`, string(list[0].Details))

	below, _, err := b.s.List(t.Context(), b.leftUser, &activity.Filter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, below, 1)
	none, _, err := b.s.List(t.Context(), caller.Caller{}, &activity.Filter{Limit: 10})
	require.NoError(t, err)
	assert.Empty(t, none, "an empty scope")
	_, _, err = b.s.Get(t.Context(), b.leftUser, list[0].ID)
	require.ErrorIs(t, err, activity.ErrNotFound)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	user := uuid.Must(uuid.NewV7())
	b.record(t, activity.WithActor(t.Context(), activity.Actor{UserID: user}), activity.Entry{
		Action: activity.UsersCreate, EntityID: b.root, Target: "1",
	})
	b.record(t, t.Context(), activity.Entry{Action: activity.UsersDelete, EntityID: b.root, Target: "2"})
	gone := uuid.Must(uuid.NewV7()) // an entity that was deleted
	b.record(t, t.Context(), activity.Entry{Action: activity.RiskCreate, EntityID: gone})
	now := time.Now()
	for name, c := range map[string]struct {
		f    activity.Filter
		want int
	}{
		"all": {activity.Filter{}, 3}, "user": {activity.Filter{UserID: user}, 1}, "module": {activity.Filter{Module: "users"}, 2},
		"action": {activity.Filter{Action: "create"}, 2}, "both": {activity.Filter{Module: "users", Action: "create"}, 1}, "target": {activity.Filter{Target: "2"}, 1},
		"later": {activity.Filter{From: now.Add(time.Hour)}, 0}, "before": {activity.Filter{To: now.Add(-time.Hour)}, 0},
		"around": {activity.Filter{From: now.Add(-time.Hour), To: now.Add(time.Hour)}, 3},
	} {
		c.f.Limit = 10
		list, total, err := b.s.List(t.Context(), b.rootUser, &c.f)
		require.NoError(t, err, name)
		assert.Len(t, list, c.want, name)
		assert.EqualValues(t, c.want, total, name)
	}
	list, _, err := b.s.List(t.Context(), b.rootUser, &activity.Filter{Limit: 1, Offset: 1, Oldest: true})
	require.NoError(t, err)
	assert.Equal(t, "2", list[0].Target)
	below, _, err := b.s.List(t.Context(), b.leftUser, &activity.Filter{Limit: 10})
	require.NoError(t, err)
	assert.Empty(t, below)
}

func TestCorrectingAndRemovingAddEntries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := activity.WithActor(t.Context(), activity.Actor{UserID: uuid.Must(uuid.NewV7()), Name: "Ana"})
	written, err := b.s.Write(ctx, b.rootUser, &activity.Manual{EntityID: b.left, Module: "visits", Action: "inspected", Note: "all in order"})
	require.NoError(t, err)
	assert.True(t, written.Manual)
	assert.Equal(t, "all in order", written.Note)

	corrected, err := b.s.Correct(ctx, b.rootUser, written.ID, "a printer is missing")
	require.NoError(t, err)
	assert.Equal(t, "a printer is missing", corrected.Note)
	assert.True(t, corrected.Edited)
	again, err := b.s.Correct(ctx, b.leftUser, written.ID, "two printers are missing")
	require.NoError(t, err)
	assert.Equal(t, "two printers are missing", again.Note)

	removed, err := b.s.Remove(ctx, b.rootUser, written.ID, "entered twice")
	require.NoError(t, err)
	assert.True(t, removed.Removed)
	_, err = b.s.Remove(ctx, b.rootUser, written.ID, "entered twice")
	require.ErrorIs(t, err, activity.ErrRemoved)
	_, err = b.s.Correct(ctx, b.rootUser, written.ID, "x")
	require.ErrorIs(t, err, activity.ErrRemoved)

	entry, amendments, err := b.s.Get(ctx, b.rootUser, written.ID)
	require.NoError(t, err)
	require.Len(t, amendments, 3)
	assert.JSONEq(t, `{"note":"all in order"}`, string(entry.Details), "as it was written")
	_, err = b.s.Correct(ctx, b.rootUser, amendments[0].ID, "never said that")
	require.ErrorIs(t, err, activity.ErrInvalid)

	visible, _, err := b.s.List(ctx, b.rootUser, &activity.Filter{Module: "visits", Limit: 10})
	require.NoError(t, err)
	assert.Empty(t, visible)
	all, _, err := b.s.List(ctx, b.rootUser, &activity.Filter{Removed: true, Limit: 10})
	require.NoError(t, err)
	assert.Len(t, all, 4)
	proof, err := b.s.Verify(ctx)
	require.NoError(t, err)
	assert.EqualValues(t, 4, proof.Unlinked)
	b.link(t, 4)
	proof, err = b.s.Verify(ctx)
	require.NoError(t, err)
	assert.EqualValues(t, 4, proof.Entries)
	assert.Zero(t, proof.Unlinked)
	assert.Zero(t, proof.Broken)
}

func TestBadInputWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, m := range []activity.Manual{
		{Module: "", Action: "a", Note: "n"}, {Module: "m", Action: "A", Note: "n"}, {Module: "m", Action: "a b", Note: "n"}, {Module: "m", Action: "a", Note: " "},
		{Module: "m", Action: "a", Note: strings.Repeat("x", 1_001)}, {Module: strings.Repeat("m", 41), Action: "a", Note: "n"}, {Module: "m", Action: "a", Note: "n", Target: strings.Repeat("x", 301)},
	} {
		m.EntityID = b.root
		_, err := b.s.Write(t.Context(), b.rootUser, &m)
		require.ErrorIs(t, err, activity.ErrInvalid)
	}
	_, err := b.s.Correct(t.Context(), b.rootUser, uuid.Must(uuid.NewV7()), "x")
	require.ErrorIs(t, err, activity.ErrNotFound)
	proof, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	assert.Zero(t, proof.Entries)
	assert.Len(t, proof.Head, 64)
}

func TestTheDatabaseRefusesToChangeTheLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.record(t, t.Context(), activity.Entry{Action: activity.UsersCreate, EntityID: b.root})
	for _, sql := range []string{
		`UPDATE activity_logs SET user_name = 'nobody'`, `UPDATE activity_logs SET user_name = 'nobody', seq = 1`, `UPDATE activity_logs SET hash = '', prev_hash = '', seq = 1`, `DELETE FROM activity_logs`, `TRUNCATE activity_logs`,
		`UPDATE activity_chain SET seq = 0`, `DELETE FROM activity_chain`, `TRUNCATE activity_chain`, `INSERT INTO activity_chain (seq, hash) VALUES (0, '')`,
	} {
		require.ErrorContains(t, b.exec(t, sql), "append-only", sql)
	}
	b.link(t, 1)
	for _, sql := range []string{`UPDATE activity_logs SET user_name = 'nobody'`, `UPDATE activity_logs SET seq = 0`, `UPDATE activity_logs SET seq = NULL`, `DELETE FROM activity_logs`} {
		require.ErrorContains(t, b.exec(t, sql), "append-only", sql)
	}
	require.NoError(t, b.exec(t, `INSERT INTO activity_logs SELECT gen_random_uuid(), 7, at, user_id, user_name, session_id, entity_id, module, action, target, manual, amends, details, address, user_agent, hash, hash FROM activity_logs`))
	proof, err := b.s.Verify(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int64{1, 1}, [2]int64{proof.Entries, proof.Unlinked}, "an inserted entry brings no links of its own")
}

// The owner of the database can disable the triggers, but Verify finds such changes.
func TestABreakOfTheChainIsFound(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"changed":        `UPDATE activity_logs SET user_name = 'nobody' WHERE seq = 3`,
		"details":        `UPDATE activity_logs SET details = '{"n": 7}' WHERE seq = 3`,
		"time":           `UPDATE activity_logs SET at = at + interval '1 microsecond' WHERE seq = 3`,
		"deleted":        `DELETE FROM activity_logs WHERE seq = 3`,
		"end cut off":    `DELETE FROM activity_logs WHERE seq = 5`,
		"all gone":       `DELETE FROM activity_logs`,
		"swapped":        `UPDATE activity_logs SET seq = CASE seq WHEN 2 THEN 300 ELSE seq END`,
		"rehashed":       `UPDATE activity_logs l SET user_name = 'nobody', hash = activity_hash(ROW(l.id, l.seq, l.at, l.user_id, 'nobody', l.session_id, l.entity_id, l.module, l.action, l.target, l.manual, l.amends, l.details, l.address, l.user_agent, l.prev_hash, l.hash)::activity_logs) WHERE seq = 3`,
		"head moved":     `UPDATE activity_chain SET hash = sha256('x')`,
		"end moved back": `UPDATE activity_chain SET seq = 4`,
		"end gone":       `DELETE FROM activity_chain`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for i := range 5 {
				b.record(t, t.Context(), activity.Entry{
					Action: activity.UsersCreate, EntityID: b.root, Details: map[string]int{"n": i},
				})
			}
			b.link(t, 5)
			before, err := b.s.Verify(t.Context())
			require.NoError(t, err)
			assert.Zero(t, before.Broken)
			require.NoError(t, b.exec(t, `ALTER TABLE activity_logs DISABLE TRIGGER USER; ALTER TABLE activity_chain DISABLE TRIGGER USER; `+sql))
			after, err := b.s.Verify(t.Context())
			require.NoError(t, err)
			assert.Positive(t, after.Broken)
		})
	}
}
