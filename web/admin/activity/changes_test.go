package activity

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// entry returns the page of an entry with details.
func entry(module, action, details string) *entryPage {
	return &entryPage{Log: &activity.Log{Module: module, Action: action, Details: jsontext.Value(details)}, Names: new(sentence.Names)}
}

func TestChangesOfAnEntry(t *testing.T) {
	t.Parallel()
	v := new(kit.View)
	for name, try := range map[string]struct {
		entry *entryPage
		rows  []string // field, before and after
		more  int
	}{
		"an entity": {entry("entities", "update", `{"code":"X","changes":{"name":{"old":"a","new":"b"},"config_info.cancels_per_day":{"old":null,"new":5},"messaging_settings.enabled":{"old":true,"new":null}},"more_changes":2}`),
			[]string{"config info · cancels per day", "", "5", "messaging settings · enabled", "word.yes", "", "name", "a", "b"}, 2},
		"a user":      {entry("users", "update", `{"name":["Ana","Eva"],"email":["a@b","a@b"],"phone":[null,"+58"]}`), []string{"name", "Ana", "Eva", "phone", "", "+58"}, 0},
		"permissions": {entry("users", "permissions", `{"granted":[["a:read"],["a:read","b:write"]],"denied":[[],[]]}`), []string{"granted", "a:read", "a:read, b:write"}, 0},
		"members": {entry("categories", "update", `{"changes":{"payout":{"old":"12345678901234567890.10","new":12345678901234567890.10},"rule":{"old":{"a":1,"b":[1]},"new":{"a":1,"b":[1,2],"c":{"d":"x"}}},"config":{"old":"{}","new":"{\"a\":true}"}}}`),
			[]string{"config · a", "", "word.yes", "payout", "12345678901234567890.10", "12345678901234567890.10", "rule · b", "1", "1, 2", "rule · c · d", "", "x"}, 0},
		"an id without a name": {entry("entities", "move", `{"changes":{"parent_id":{"old":"01980000-0000-7000-8000-000000000001","new":null}}}`), []string{"parent id", "", ""}, 0},
		"a list elsewhere":     {entry("bank", "assign", `{"ids":["a","b"]}`), nil, 0},
		"no object":            {entry("users", "update", `[1,2]`), nil, 0},
		"broken":               {entry("users", "update", `{`), nil, 0},
		"nothing":              {entry("users", "update", `{}`), nil, 0},
		"truncated":            {entry("entities", "update", `{"truncated":true}`), nil, 0},
	} {
		diff := try.entry.Changes(v)
		if try.rows == nil {
			assert.Nil(t, diff, name)
			continue
		}
		require.NotNil(t, diff, name)
		var rows []string
		for _, row := range diff.Rows {
			rows = append(rows, row.Field, row.Before.Text, row.After.Text)
		}
		assert.Equal(t, try.rows, rows, name)
		assert.Equal(t, try.more, diff.More, name)
	}
}

func TestDetailsOfAnEntryAreLabelsAndValues(t *testing.T) {
	t.Parallel()
	v := new(kit.View)
	facts := func(e *entryPage) (texts []string) {
		for _, fact := range e.Details(v) {
			texts = append(texts, fact.Name, fact.Value.Text)
		}
		return texts
	}
	assert.Equal(t, []string{"amount", "150.00", "filter", "state: failed"}, facts(entry("wallets", "deposit",
		`{"amount":"150.00","transaction":"01980000-0000-7000-8000-000000000001","note":"x","filter":{"state":"failed"},"changes":{"a":{"old":1,"new":2}},"more_changes":1}`)))
	assert.Equal(t, "message", kindOf("messaging"), "the states of a filter of messages have their texts")
	assert.Empty(t, facts(entry("users", "update", `{"name":["Ana","Eva"]}`)), "the details are the changes")
	assert.Empty(t, facts(entry("users", "update", `[1]`)))
}

func TestTheIDsOfAnEntry(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01980000-0000-7000-8000-000000000001")
	assert.Equal(t, []uuid.UUID{id, id}, idsIn(entry("x", "y", `{"a":"`+id.String()+`","b":[{"c":"`+id.String()+`"},"d"]}`).Log))
	assert.Empty(t, idsIn(entry("x", "y", `{`).Log))
}
