package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"banca/api/kit"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shapes walks over the schemas of the document.
type shapes struct {
	root map[string]any
	seen map[string]bool
}

func shapesOf(t *testing.T, raw []byte) *shapes {
	t.Helper()
	s := &shapes{seen: map[string]bool{}}
	require.NoError(t, json.Unmarshal(raw, &s.root))
	return s
}

// walk calls visit with every object below a value and follows references to components.
func (s *shapes) walk(at string, value any, visit func(at string, object map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(at, v)
		if ref, ok := v["$ref"].(string); ok && !s.seen[ref] {
			s.seen[ref] = true
			parts := strings.Split(ref, "/")
			components, _ := s.root["components"].(map[string]any)
			kind, _ := components[parts[2]].(map[string]any)
			s.walk(parts[3], kind[parts[3]], visit)
		}
		for key, inner := range v {
			if key != "examples" && key != kit.CodesField {
				s.walk(at+"/"+key, inner, visit)
			}
		}
	case []any:
		for _, inner := range v {
			s.walk(at, inner, visit)
		}
	}
}

// of walks over one part of all operations: responses or requestBody.
func (s *shapes) of(part string, visit func(at string, object map[string]any)) {
	paths, _ := s.root["paths"].(map[string]any)
	for path, item := range paths {
		operations, _ := item.(map[string]any)
		for method, operation := range operations {
			op, _ := operation.(map[string]any)
			s.walk(method+" "+path, op[part], visit)
		}
	}
}

func isClosed(object map[string]any) bool { return object["additionalProperties"] == false }

func hasType(object map[string]any, name string) bool {
	types, _ := object["type"].([]any)
	return object["type"] == name || slices.Contains(types, any(name))
}

// A client that was generated from an earlier document still reads answers that have got fields.
func TestAnswersAllowNewFields(t *testing.T) {
	t.Parallel()
	raw, err := setup(t).OpenAPIJSON()
	require.NoError(t, err)
	found := 0
	shapesOf(t, raw).of("responses", func(at string, object map[string]any) {
		assert.False(t, isClosed(object), at)
		found++
	})
	assert.Greater(t, found, 1000)
}

// Lists are never null, except in settings, where null removes the key.
func TestListsAreNotNull(t *testing.T) {
	t.Parallel()
	raw, err := setup(t).OpenAPIJSON()
	require.NoError(t, err)
	for _, part := range []string{"responses", "requestBody"} {
		lists := 0
		shapesOf(t, raw).of(part, func(at string, object map[string]any) {
			settings := part == "requestBody" && (strings.Contains(at, "_info/") || strings.Contains(at, "_settings/"))
			if hasType(object, "array") {
				lists++
				assert.True(t, settings || !hasType(object, "null"), at)
			}
		})
		assert.Positive(t, lists, part)
	}
}

// Groups of settings name their keys, in requests and in answers.
func TestInfoObjectsHaveKeys(t *testing.T) {
	t.Parallel()
	raw, err := setup(t).OpenAPIJSON()
	require.NoError(t, err)
	s := shapesOf(t, raw)
	components, _ := s.root["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	for _, name := range []string{"Entity", "EntityInputBody", "NewEntityInputBody"} {
		body, _ := schemas[name].(map[string]any)
		properties, _ := body["properties"].(map[string]any)
		for _, key := range []string{
			"legal_info", "print_info", "social_info", "messaging_settings", "finance_info", "config_info", "contact_info", "location_info",
		} {
			group, _ := properties[key].(map[string]any)
			if ref, ok := group["$ref"].(string); ok {
				group, _ = schemas[strings.TrimPrefix(ref, kit.SchemaPrefix)].(map[string]any)
			}
			assert.NotEmpty(t, group["properties"], "%s.%s", name, key)
		}
	}
}
