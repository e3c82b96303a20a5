package activity

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/web/kit"
)

// entry returns an entry with details.
func entry(module, action, details string) *activity.Log {
	return &activity.Log{Module: module, Action: action, Details: jsontext.Value(details)}
}

func TestChangesOfAnEntry(t *testing.T) {
	t.Parallel()
	v := new(kit.View)
	for name, try := range map[string]struct {
		entry *activity.Log
		rows  []string // field, before and after
		more  int
	}{
		"an entity": {entry("entities", "update", `{"code":"X","changes":{"name":{"old":"a","new":"b"},"config_info.cancels_per_day":{"old":null,"new":5},"messaging_settings.enabled":{"old":true,"new":null}},"more_changes":2}`),
			[]string{"config_info · cancels_per_day", "", "5", "messaging_settings · enabled", "word.yes", "", "name", "a", "b"}, 2},
		"a user":           {entry("users", "update", `{"name":["Ana","Eva"],"email":["a@b","a@b"],"phone":[null,"+58"]}`), []string{"name", "Ana", "Eva", "phone", "", "+58"}, 0},
		"permissions":      {entry("users", "permissions", `{"granted":[["a:read"],["a:read","b:write"]],"denied":[[],[]]}`), []string{"granted", "a:read", "a:read, b:write"}, 0},
		"amounts":          {entry("games", "update", `{"changes":{"payout":{"old":"12345678901234567890.10","new":12345678901234567890.10},"rule":{"old":{"a":1},"new":[1,2]}}}`), []string{"payout", "12345678901234567890.10", "12345678901234567890.10", "rule", `{"a":1}`, "[1,2]"}, 0},
		"a list elsewhere": {entry("bank", "assign", `{"ids":["a","b"]}`), nil, 0},
		"no object":        {entry("users", "update", `[1,2]`), nil, 0},
		"broken":           {entry("users", "update", `{`), nil, 0},
		"nothing":          {entry("users", "update", `{}`), nil, 0},
		"truncated":        {entry("entities", "update", `{"truncated":true}`), nil, 0},
	} {
		diff := changesOf(v, try.entry)
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

func TestACommissionHasWords(t *testing.T) {
	t.Parallel()
	v := new(kit.View)
	assert.Equal(t, "finance_info · changed.commission", fieldText(v, "finance_info.commissions[*/straight]"))
	assert.Equal(t, "finance_info · participation", fieldText(v, "finance_info.participation"))
}

func TestFieldsHaveWords(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	for _, key := range []string{
		"name", "code", "status", "parent_id", "default_device_id", "description", "config", "short_code", "category_id", "position", "logo_url", "sale_stop_seconds",
		"role", "auth_method", "email", "phone", "identifier", "entity_id", "granted", "denied", "expires_at", "participation",
	} {
		assert.NotEmpty(t, words[kit.Spanish]["changed."+key]+words[kit.Spanish]["setting."+key]+words[kit.Spanish]["label."+key], key)
	}
	assert.NotEqual(t, words[kit.Spanish]["label.status"], words[kit.Spanish]["changed.status"], "the status of an object is not that of HTTP")
}
