package sentence

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/web/kit"
)

// Every action has a text without its object, and its sentences have one place for the object at most.
func TestEveryActionHasItsTexts(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	for language, texts := range words {
		known := map[string]bool{"manual": true, "unknown": true}
		for _, module := range activity.Modules() {
			assert.NotEmpty(t, texts["module."+module.Name], "%s %s", language, module.Name)
			for _, action := range module.Actions {
				key := module.Name + "." + action
				known[key] = true
				assert.NotEmpty(t, texts["did."+key], "%s %s", language, key)
				assert.NotContains(t, texts["did."+key], "%", key)
			}
		}
		for key, text := range texts {
			if action, found := strings.CutPrefix(key, "did."); found {
				assert.True(t, known[action], "%s is no action", key)
			}
			action, found := strings.CutPrefix(key, "said.")
			if !found {
				continue
			}
			assert.Equal(t, 1, strings.Count(text, "%s"), key)
			module, rest, _ := strings.Cut(action, ".")
			rest, _, _ = strings.Cut(rest, ".")
			assert.True(t, known[action] || known[module+"."+rest], "%s is no action", key)
		}
	}
}

func TestFieldsHaveLabels(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	for _, key := range []string{
		"name", "code", "status", "parent_id", "default_device_id", "description", "config", "short_code", "category_id", "position", "logo_url", "sale_stop_seconds",
		"role", "auth_method", "email", "phone", "identifier", "entity_id", "granted", "denied", "expires_at", "participation", "rate", "credit_limit", "symbol", "digits",
		"mechanics", "betting_rules", "schedule_config", "metadata", "api_config", "text", "provider_name", "provider_language", "provider_values", "provider_button",
	} {
		assert.NotEmpty(t, words[kit.Spanish]["changed."+key]+words[kit.Spanish]["setting."+key]+words[kit.Spanish]["label."+key], key)
	}
	assert.NotEqual(t, words[kit.Spanish]["label.status"], words[kit.Spanish]["changed.status"], "the status of an object is not that of HTTP")
	v := new(kit.View)
	assert.Equal(t, "finance info · changed.commission", FieldLabel(v, "finance_info.commissions[*/straight]"))
	assert.Equal(t, "finance info · participation", FieldLabel(v, "finance_info.participation"))
}

func TestObjectsWithoutANameShowNoID(t *testing.T) {
	t.Parallel()
	const id = "01980000-0000-7000-8000-000000000001"
	v, names := new(kit.View), new(Names)
	for name, try := range map[string]struct {
		entry activity.Log
		want  string
	}{
		"an id":            {activity.Log{Module: "users", Target: id}, ""},
		"a recorded name":  {activity.Log{Module: "users", Target: id, Details: jsontext.Value(`{"name":"Ana"}`)}, "Ana"},
		"a serial code":    {activity.Log{Module: "prizes", Target: id, Details: jsontext.Value(`{"serial_code":"7K2M"}`)}, "7K2M"},
		"a task":           {activity.Log{Module: "queues", Target: "default/archived_tasks/" + id}, "default"},
		"a text":           {activity.Log{Module: "messaging", Target: "receipt/es"}, "receipt"},
		"a bank":           {activity.Log{Module: "banks", Target: "0134"}, "0134"},
		"a person's entry": {activity.Log{Module: "users", Manual: true, Target: "till 4"}, "till 4"},
		"a person's id":    {activity.Log{Module: "users", Manual: true, Target: "the user " + id}, ""},
		"a structure":      {activity.Log{Module: "other", Target: `{"a":1}`}, ""},
		"nothing":          {activity.Log{}, ""},
	} {
		object := names.Object(v, &try.entry)
		assert.Equal(t, try.want, object.Text, name)
		assert.Empty(t, object.Link, name)
	}
}

// The link to a prize needs the right to open the pages of prizes, and no right to those of tickets.
func TestTheLinkToAPrize(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01980000-0000-7000-8000-000000000001")
	objects := map[uuid.UUID]activity.Object{id: {ID: id, Kind: "ticket", Page: id, Name: "7K2M"}}
	tickets := map[string]string{"ticket": "/admin/tickets/"}
	paid := &activity.Log{Module: "prizes", Action: "pay", Target: id.String(), Details: jsontext.Value(`{"serial_code":"7K2M"}`)}
	printed := &activity.Log{Module: "tickets", Action: "reprint", Target: id.String()}
	v := new(kit.View)
	for name, try := range map[string]struct {
		names         Names
		prize, ticket Name
	}{
		"prizes":  {Names{objects: objects, prizes: true}, Name{"7K2M", "/admin/prizes/" + id.String()}, Name{}},
		"tickets": {Names{objects: objects, pages: tickets}, Name{"7K2M", ""}, Name{"7K2M", "/admin/tickets/" + id.String()}},
		"neither": {Names{objects: objects}, Name{"7K2M", ""}, Name{}},
	} {
		assert.Equal(t, try.prize, try.names.Object(v, paid), name)
		assert.Equal(t, try.ticket, try.names.Object(v, printed), name)
	}
}

func TestNamesAreEscaped(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, `<a href="/a?b=1&amp;c=2">&lt;b&gt;</a>`, Name{Text: "<b>", Link: "/a?b=1&c=2"}.HTML())
	assert.EqualValues(t, `&lt;b&gt;`, Name{Text: "<b>"}.HTML())
}

func TestChangedFields(t *testing.T) {
	t.Parallel()
	entry := &activity.Log{Module: "games", Action: "update", Details: jsontext.Value(`{"fields":["betting_rules"],"changes":{"name":{"old":"a","new":"b"}}}`)}
	assert.Equal(t, []string{"betting_rules", "name"}, changedFields(entry))
	assert.Equal(t, "betting rules, name", changedText(new(kit.View), entry))
	entry.Action = "create"
	assert.Empty(t, changedText(new(kit.View), entry))
}
