package api

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// downgraded returns the document in OpenAPI 3.0, for tools that do not read 3.1. huma translates types; the rest is
// translated here: a reference that may be null, and keywords that 3.0 does not have.
func downgraded(document *huma.OpenAPI) ([]byte, error) {
	raw, err := document.Downgrade()
	if err != nil {
		return nil, err
	}
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, err
	}
	downgrade(root)
	return json.Marshal(root)
}

func downgrade(value any) {
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			downgrade(inner)
		}
	case map[string]any:
		if list, ok := v["anyOf"].([]any); ok {
			left := slices.DeleteFunc(slices.Clone(list), isNull)
			if len(left) < len(list) {
				v["nullable"], v["anyOf"] = true, left
			}
			if len(left) == 1 { // nullable needs a type, and every schema that is referred to so is of an object
				v["type"], v["allOf"] = "object", left
				delete(v, "anyOf")
			}
		}
		if ref, ok := v["$ref"].(string); ok && len(v) > 1 { // siblings of a reference are ignored in 3.0
			v["allOf"] = []any{map[string]any{"$ref": ref}}
			delete(v, "$ref")
		}
		if _, ok := v["examples"].([]any); ok {
			delete(v, "examples")
		}
		if id, _ := v["identifier"].(string); strings.HasPrefix(id, "LicenseRef-") { // of the licence, since 3.1
			delete(v, "identifier")
		}
		delete(v, "contentMediaType")
		delete(v, "contentEncoding")
		for _, inner := range v {
			downgrade(inner)
		}
	}
}

func isNull(schema any) bool {
	s, ok := schema.(map[string]any)
	return ok && s["type"] == "null"
}
