package completion

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// merged is a message put together from the parts of a stream. It keeps fields that this package does not know, such
// as the extra_content.google.thought_signature that Gemini wants back.
type merged map[string]any

// add adds a part: texts of the message and arguments of calls are appended, calls are matched by their index,
// anything else is replaced.
func (m merged) add(raw jsontext.Value) error {
	part := map[string]any{}
	if err := json.Unmarshal(raw, &part, jsontext.AllowDuplicateNames(true)); err != nil {
		return errProtocol
	}
	for name, value := range part {
		switch v := value.(type) {
		case nil:
		case string:
			if old, ok := m[name].(string); ok && name != "role" {
				v = old + v
			}
			m[name] = v
		case []any:
			if name != "tool_calls" {
				m[name] = v
				continue
			}
			if err := m.addCalls(v); err != nil {
				return err
			}
		case map[string]any:
			m[name] = mergeObjects(m[name], v)
		default:
			m[name] = v
		}
	}
	return nil
}

func (m merged) addCalls(parts []any) error {
	calls, _ := m["tool_calls"].([]any)
	for _, p := range parts {
		part, ok := p.(map[string]any)
		if !ok {
			return errProtocol
		}
		at := len(calls)
		if index, ok := part["index"].(float64); ok {
			at = int(index)
		} else if id, _ := part["id"].(string); id == "" && len(calls) > 0 {
			at = len(calls) - 1 // a continuation by a provider that numbers nothing
		}
		if at < 0 || at > len(calls) || at >= maxCalls {
			return errProtocol
		}
		delete(part, "index")
		if at == len(calls) {
			calls = append(calls, map[string]any{"type": "function"})
		}
		call, _ := calls[at].(map[string]any)
		if err := addCall(call, part); err != nil {
			return err
		}
	}
	m["tool_calls"] = calls
	return nil
}

// addCall adds a part of a call: the arguments are appended.
func addCall(call, part map[string]any) error {
	for name, value := range part {
		if value == nil || value == "" {
			continue
		}
		f, ok := value.(map[string]any)
		if name != "function" || !ok {
			call[name] = mergeObjects(call[name], value)
			continue
		}
		before, _ := call["function"].(map[string]any)
		old, _ := before["arguments"].(string)
		added, _ := f["arguments"].(string)
		if len(old)+len(added) > maxArgs {
			return errTooLarge
		}
		if f["name"] == "" || f["name"] == nil {
			delete(f, "name")
		}
		f["arguments"] = old + added
		call["function"] = mergeObjects(call["function"], f)
	}
	return nil
}

// mergeObjects returns the fields of both objects, the newer value of a common field; newer if they are no objects.
func mergeObjects(older, newer any) any {
	a, ok := older.(map[string]any)
	b, both := newer.(map[string]any)
	if !ok || !both {
		return newer
	}
	for name, value := range b {
		a[name] = mergeObjects(a[name], value)
	}
	return a
}

// value returns the message as JSON. A message has a role and a content, which may be null.
func (m merged) value() (jsontext.Value, error) {
	if role, ok := m["role"].(string); !ok || role == "" {
		m["role"] = RoleAssistant
	}
	if _, ok := m["content"]; !ok {
		m["content"] = nil
	}
	return json.Marshal(map[string]any(m), json.Deterministic(true))
}
