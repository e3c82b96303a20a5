package kit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of a shown JSON value.
const maxDepth = 16

// JSONNode is a value of a JSON text. A node with other nodes can be folded.
type JSONNode struct {
	Name  string // of a member of an object, or the index in an array
	Text  string // of a node without other nodes
	Count int    // number of Nodes
	Nodes []JSONNode
}

// JSON returns a JSON text for its template part, which shows it folded and read-only. A text that is not valid JSON is
// shown unchanged.
func JSON(text any) JSONNode {
	raw := fmt.Sprintf("%s", text)
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber() // amounts keep their digits
	var value any
	if err := decoder.Decode(&value); err != nil || decoder.More() {
		return JSONNode{Text: raw}
	}
	return jsonNode("", value, 0)
}

func jsonNode(name string, value any, depth int) JSONNode {
	node := JSONNode{Name: name}
	if depth == maxDepth {
		node.Text = "…"
		return node
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			node.Nodes = append(node.Nodes, jsonNode(key, v[key], depth+1))
		}
	case []any:
		for i, element := range v {
			node.Nodes = append(node.Nodes, jsonNode(strconv.Itoa(i), element, depth+1))
		}
	case nil:
		node.Text = "null"
	default:
		node.Text = fmt.Sprint(v)
	}
	node.Count = len(node.Nodes)
	return node
}
