package kit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAJSONTextFolds(t *testing.T) {
	t.Parallel()
	node := JSON([]byte(`{"b":12345678901234567890.10,"a":[null,{"x":true}]}`))
	require.Equal(t, 2, node.Count)
	assert.Equal(t, "a", node.Nodes[0].Name, "members in the order of their names")
	assert.Equal(t, "null", node.Nodes[0].Nodes[0].Text)
	assert.Equal(t, "12345678901234567890.10", node.Nodes[1].Text, "a number keeps its digits")
	for _, text := range []string{"", "{", `{} {}`, "<b>"} {
		assert.Equal(t, JSONNode{Text: text}, JSON(text), "no JSON is shown as it is")
	}
	deep, depth := JSON(strings.Repeat("[", 40)+strings.Repeat("]", 40)), 0
	for len(deep.Nodes) > 0 {
		deep = deep.Nodes[0]
		depth++
	}
	assert.Equal(t, maxDepth, depth)
}
