package catalog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// object is a JSON object of a game. Members that the forms do not show stay as they are.
type object map[string]json.RawMessage

// readObject reads an object; what is none counts as an empty one.
func readObject(raw []byte) object {
	o := object{}
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return object{}
	}
	return o
}

// decode reads a member; a missing one is an error.
func decode(raw json.RawMessage, into any) error { return json.Unmarshal(raw, into) }

// members returns the objects of a list.
func (o object) members(key string) []object {
	var list []object
	if json.Unmarshal(o[key], &list) != nil {
		return nil
	}
	for i := range list {
		if list[i] == nil {
			list[i] = object{}
		}
	}
	return list
}

// inner returns the object of a member; an empty one if there is none.
func (o object) inner(key string) object { return readObject(o[key]) }

// text returns the text or number of a member, "" if there is none.
func (o object) text(key string) string {
	var text string
	if json.Unmarshal(o[key], &text) == nil {
		return text
	}
	return strings.Trim(string(o[key]), `"`)
}

// is reports whether a member is true.
func (o object) is(key string) bool { return string(o[key]) == "true" }

// texts returns the texts of a list.
func (o object) texts(key string) []string {
	var list []string
	_ = json.Unmarshal(o[key], &list) // what is no list has none
	return list
}

// set sets a member, or removes it if the value is empty: "", 0, false, or without members. A value that is the current one leaves the
// member as it is written.
func (o object) set(key string, value any) {
	v := reflect.ValueOf(value)
	empty := v.IsZero()
	if kind := v.Kind(); kind == reflect.Map || kind == reflect.Slice {
		empty = v.Len() == 0
	}
	if empty {
		delete(o, key)
		return
	}
	o[key] = o.encode(value)
}

// encode writes a value. The values of forms, which are texts, numbers and objects of them, can always be written.
func (object) encode(value any) json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Errorf("web: document of a game: %w", err))
	}
	return raw
}

// bytes returns the object as JSON.
func (o object) bytes() []byte { return o.encode(o) }

// pairs returns the members of an object of texts as lines "name = text".
func (o object) pairs(key string) string {
	var b strings.Builder
	inner := o.inner(key)
	for _, name := range sortedKeys(inner) {
		b.WriteString(name + " = " + inner.text(name) + "\n")
	}
	return b.String()
}

// readPairs reads lines "name = text". ok is false if a line has no name or sign, or a name comes twice.
func readPairs(text string) (pairs map[string]string, wrong string) {
	pairs = map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, split := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if _, twice := pairs[name]; !split || name == "" || twice {
			return nil, line
		}
		pairs[name] = value
	}
	return pairs, ""
}
