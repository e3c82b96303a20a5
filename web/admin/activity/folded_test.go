package activity

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/web/admin/parts/sentence"
)

// Entries of one user, action and entity within a quarter of an hour are one row from three on. An entry that a person has written stays a row.
func TestEntriesOfOneActionAreOneRow(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	user := uuid.New()
	entry := func(after time.Duration, action string) sentence.Row {
		return sentence.Row{Log: activity.Log{ID: uuid.New(), UserID: user, Module: "results", Action: action, At: at.Add(after)}}
	}
	rows := []sentence.Row{
		entry(14*time.Minute, "verify"), entry(13*time.Minute, "enter"), entry(12*time.Minute, "verify"), entry(11*time.Minute, "enter"),
		entry(10*time.Minute, "verify"), entry(-time.Minute, "verify"), entry(-2*time.Minute, "verify"),
	}
	kept := folded(rows)
	require.Len(t, kept, 5)
	assert.Len(t, kept[0].Same, 3)
	assert.Equal(t, "/admin/activity?action=verify&module=results", sentence.Link(&kept[0]))
	for _, row := range kept[1:] {
		assert.Nil(t, row.Same, "two entries, and those of another quarter, stay rows")
	}
	for i := range rows {
		rows[i].Manual = true
	}
	assert.Len(t, folded(rows), len(rows))
}
