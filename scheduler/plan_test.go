package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/tasks"
	"banca/tasks/outbox"
)

func TestTheTableIsValid(t *testing.T) {
	t.Parallel()
	entries, err := compile(Entries())
	require.NoError(t, err)
	now := time.Date(2026, 3, 1, 7, 29, 59, 0, time.UTC)
	for _, e := range entries {
		next := e.times.Next(now)
		assert.WithinDuration(t, now, next, 24*time.Hour, "%s: a leader that is away at a rare tick loses it: tick hourly and ask a Due of the domain", e.Name)
		assert.GreaterOrEqual(t, e.Args.Spec().Retained(), catchUp, "%s: a tick that is made up must find its task's id taken", e.Name)
	}
	assert.ElementsMatch(t, []string{"activity.link", "ledger.fold", "ledger.days", "rollup.advance", "draw.close", "result.sweep", "risk.sweep", "outbox.sweep", "message.sweep", "bank.expire", "day.close", "ticket.expire", "export.sweep", "ledger.verify"},
		kinds(t, entries, now, now.Add(time.Second)))
}

// kinds lists the kinds that are due in (after, now].
func kinds(t *testing.T, entries []planned, after, now time.Time) []string {
	t.Helper()
	rows, err := dueRows(entries, after, now)
	require.NoError(t, err)
	var result []string
	for _, r := range rows {
		result = append(result, r.Kind)
	}
	return result
}

type strange struct{}

func (strange) Spec() tasks.Spec { return tasks.Spec{Kind: "no.such"} }

func TestBadEntriesAreRefused(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"", "TZ=UTC", "TZ=UTC 0 0 * * * *", "CRON_TZ=UTC", "* * * * *", "61 * * * * *", "@every soon", "@never"} {
		_, err := New(Config{Entries: []Entry{{Name: "x", Every: spec, Args: tasks.LedgerFold{}}}})
		require.Error(t, err, spec)
	}
	fold := Entry{Name: "x", Every: "@every 5s", Args: tasks.LedgerFold{}}
	_, err := New(Config{Entries: []Entry{fold, fold}})
	require.ErrorIs(t, err, ErrDuplicateEntry)
	_, err = New(Config{Entries: []Entry{{Name: "x", Every: "@every 5s", Args: strange{}}}})
	require.ErrorIs(t, err, ErrUnknownTask)
}

func TestTicks(t *testing.T) {
	t.Parallel()
	entries, err := compile([]Entry{
		{Name: "five", Every: "@every 5s", Args: tasks.LedgerFold{}},
		{Name: "nightly", Every: "0 30 7 * * *", Args: tasks.LedgerVerify{}, AtStart: true},
	})
	require.NoError(t, err)
	at := func(clock string) time.Time {
		tick, err := time.Parse(time.DateTime, "2026-03-01 "+clock)
		require.NoError(t, err)
		return tick
	}
	due := func(after, now string) []outbox.Row {
		rows, err := dueRows(entries, at(after), at(now))
		require.NoError(t, err)
		return rows
	}

	assert.Empty(t, due("07:00:00", "07:00:04"))
	assert.Equal(t, tickID("five", at("07:00:05")), due("07:00:00", "07:00:05")[0].ID)
	assert.Empty(t, due("07:00:05", "07:00:05"), "a tick is due once")
	assert.Equal(t, due("07:00:03", "07:00:05"), due("07:00:01", "07:00:07"), "wherever a scheduler began")
	slept := due("05:00:00", "10:00:02")
	require.Len(t, slept, 2, "of many missed ticks the newest is made up")
	assert.Equal(t, tickID("five", at("10:00:00")), slept[0].ID)
	assert.Equal(t, tickID("nightly", at("07:30:00")), slept[1].ID)
	assert.Equal(t, at("07:00:05"), nextTick(entries, at("07:00:00")))

	first, err := startRows(entries, at("06:00:00"))
	require.NoError(t, err)
	require.Len(t, first, 1)
	assert.Equal(t, "ledger.verify", first[0].Kind)
}
