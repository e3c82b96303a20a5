package app

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

// Unlinked entries of the activity log are a warning. A changed entry of the chain is a broken
// invariant.
func TestVerifyWarnsOfLateActivityLinks(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a, err := Open(t.Context(), settings(env), config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	exec := func(sql string) {
		_, err := env.PG.Pool.Exec(t.Context(), `ALTER TABLE activity_logs DISABLE TRIGGER USER; `+sql+`; ALTER TABLE activity_logs ENABLE TRIGGER USER`)
		require.NoError(t, err)
	}
	verify := func() (report, log string, nightly, command error) {
		var out, logged bytes.Buffer
		nightly = a.services.verify(t.Context(), clock.System{}, slog.New(slog.NewTextHandler(&logged, nil)))
		command = a.Verify(t.Context(), &out)
		return out.String(), logged.String(), nightly, command
	}
	record := func() {
		require.NoError(t, activity.RecordTx(t.Context(), env.PG.Gorm, activity.Entry{
			Action: activity.UsersCreate, EntityID: uuid.New(),
		}))
	}
	const late = "activity log entries are not linked within 10m0s"

	record()
	_, err = a.services.activity.Link(t.Context())
	require.NoError(t, err)
	record()
	report, log, nightly, command := verify()
	require.NoError(t, nightly)
	require.NoError(t, command)
	require.NotContains(t, report+log, late)

	exec(`UPDATE activity_logs SET at = at - interval '11 minutes' WHERE seq IS NULL`)
	report, log, nightly, command = verify()
	require.NoError(t, nightly, log)
	require.NoError(t, command, report)
	require.Contains(t, report, "warn    "+late+" (1 rows)\n")
	require.Contains(t, report, "the activity log is one chain, 1 entries")
	require.NotContains(t, report, "BROKEN")
	require.Contains(t, log, `level=WARN msg="verification warning" warning="`+late+`" rows=1`)
	require.NotContains(t, log, "level=ERROR")

	exec(`UPDATE activity_logs SET action = 'other' WHERE seq IS NOT NULL`)
	report, log, nightly, command = verify()
	require.ErrorIs(t, nightly, ErrBroken)
	require.ErrorIs(t, command, ErrBroken)
	require.Contains(t, report, "BROKEN  the activity log is one chain")
	require.Contains(t, report, "warn    "+late)
	require.Contains(t, log, "invariant broken")
}
