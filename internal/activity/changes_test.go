package activity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
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

func TestBoundKeepsTheFirstFields(t *testing.T) {
	var c activity.Changes
	for i := range 200 {
		c.Set(fmt.Sprintf("field%03d", i), nil, strings.Repeat("x", 100))
	}
	removed := c.Bound()
	assert.Equal(t, 200, removed+len(c))
	require.NotZero(t, removed)
	raw, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Less(t, len(raw), 16<<10, "an entry has room for the bound changes")
	assert.Contains(t, c, "field000")
	assert.NotContains(t, c, "field199")
	assert.Zero(t, c.Bound(), "what fits is kept")
}
