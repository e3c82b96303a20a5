package activity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
)

func TestChangesHoldOnlyWhatDiffers(t *testing.T) {
	same := map[string]any{"a": 1, "b": []string{"x"}}
	assert.Empty(t, activity.Between(same, map[string]any{"a": 1, "b": []string{"x"}}))
	assert.Empty(t, activity.Changed("a", nil, nil))

	was := map[string]any{"kept": 1, "changed": "old", "list": []string{"x"}, "removed": true}
	is := map[string]any{"kept": 1, "changed": "new", "list": []string{"x", "y"}, "added": 7}
	raw, err := json.Marshal(activity.Between(was, is))
	require.NoError(t, err)
	assert.JSONEq(t, `{"changed": {"old": "old", "new": "new"}, "list": {"old": ["x"], "new": ["x", "y"]}, "removed": {"old": true, "new": null}, "added": {"old": null, "new": 7}}`, string(raw))
}

func TestChangesOfARowThatIsAddedOrRemoved(t *testing.T) {
	row := map[string]any{"name": "A", "note": nil}
	assert.Equal(t, activity.Changes{"name": {New: "A"}}, activity.Between(nil, row))
	assert.Equal(t, activity.Changes{"name": {Old: "A"}}, activity.Between(row, nil))
}

func TestAnEntryListsTheChangesThatFit(t *testing.T) {
	e := activity.Entry{Details: map[string]any{"code": "A"}}
	for i := range 200 {
		e.Changes.Set(fmt.Sprintf("field%03d", i), nil, strings.Repeat("x", 100))
	}
	details, err := e.StoredDetails()
	require.NoError(t, err)
	assert.Less(t, len(details), 16<<10, "an entry has room for them")
	assert.Contains(t, details, `"code":"A"`)
	assert.Len(t, e.Changes, 200, "the caller's changes stay")

	kept, more := (&activity.Log{Details: jsontext.Value(details)}).Changes()
	require.NotZero(t, more)
	assert.Equal(t, 200, more+len(kept))
	assert.Contains(t, kept, "field000")
	assert.NotContains(t, kept, "field199")
}

func TestDetailsWithoutChanges(t *testing.T) {
	for name, c := range map[string]struct {
		entry activity.Entry
		want  string
	}{
		"nothing":           {activity.Entry{}, `{}`},
		"details alone":     {activity.Entry{Details: map[string]string{"kind": "x"}}, `{"kind":"x"}`},
		"a null map":        {activity.Entry{Details: map[string]any(nil)}, `{}`},
		"changes alone":     {activity.Entry{Changes: activity.Changed("name", "A", nil)}, `{"changes":{"name":{"old":"A","new":null}}}`},
		"the order of keys": {activity.Entry{Details: map[string]any{"z": 1, "a": 2}, Changes: activity.Changed("b", 1, 2)}, `{"a":2,"changes":{"b":{"old":1,"new":2}},"z":1}`},
	} {
		details, err := c.entry.StoredDetails()
		require.NoError(t, err, name)
		assert.Equal(t, c.want, details, name)
	}
	_, err := (&activity.Entry{Details: []int{1}}).StoredDetails()
	assert.Error(t, err, "details are an object")
}
