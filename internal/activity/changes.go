package activity

import (
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxChanges bounds what the changes of one entry may take, in bytes.
const maxChanges = 10 << 10

// Change is the value of a field before and after a change. A missing value is null.
type Change struct {
	Old any `json:"old"`
	New any `json:"new"`
}

// Changes are the fields that differ, by name.
type Changes map[string]Change

// Changed returns one field if its value differs.
func Changed(field string, before, after any) Changes {
	var c Changes
	c.Set(field, before, after)
	return c
}

// Between returns the fields that differ between two rows. A nil map is a row that does not exist.
func Between(before, after map[string]any) Changes {
	var c Changes
	for field, value := range before {
		c.Set(field, value, after[field])
	}
	for field, value := range after {
		c.Set(field, before[field], value)
	}
	return c
}

// Set adds a field if its value differs.
func (c *Changes) Set(field string, before, after any) {
	if reflect.DeepEqual(before, after) {
		return
	}
	if *c == nil {
		*c = Changes{}
	}
	(*c)[field] = Change{Old: before, New: after}
}

// bound removes the fields beyond maxChanges, last in the alphabet first, and returns their number.
func bound(c Changes) (removed int) {
	room := maxChanges
	for _, field := range slices.Sorted(maps.Keys(c)) {
		raw, err := json.Marshal(c[field])
		if room -= len(field) + len(raw); err != nil || room < 0 {
			delete(c, field)
			removed++
		}
	}
	return removed
}

// stored is the part of an entry's details with its changes. More is the number of fields that the entry has no room for.
type stored[C any] struct {
	Changes map[string]C `json:"changes,omitempty"`
	More    int          `json:"more_changes,omitzero"`
}

// object returns the details of an entry with its changes, by key, or nil if the details are longer than maxDetails.
func (e *Entry) object() (map[string]jsontext.Value, error) {
	changes := maps.Clone(e.Changes)
	more := bound(changes)
	object := map[string]jsontext.Value{}
	for _, part := range []any{e.Details, stored[Change]{Changes: changes, More: more}} {
		if part == nil {
			continue
		}
		raw, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if len(raw) > maxDetails {
			return nil, nil //nolint:nilnil // too long is no error: the entry says that its details were cut
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// StoredChange is the value of a field before and after a change, in JSON. null is a missing value.
type StoredChange struct {
	Old jsontext.Value `json:"old"`
	New jsontext.Value `json:"new"`
}

// Changes returns the changed fields that an entry lists, by name, and the number of those that it has no room for.
func (l *Log) Changes() (changes map[string]StoredChange, more int) {
	var d stored[StoredChange]
	if json.Unmarshal(l.Details, &d) != nil || len(d.Changes) == 0 {
		return l.pairs(), d.More
	}
	return d.Changes, d.More
}

// pairs returns the changes in old entries of users and sessions, whose details have a pair of values, before and after, for
// each field.
func (l *Log) pairs() map[string]StoredChange {
	switch l.Module + "." + l.Action {
	case "users.update", "users.permissions", "sessions.extend":
	default:
		return nil
	}
	var all map[string]jsontext.Value
	if json.Unmarshal(l.Details, &all) != nil {
		return nil
	}
	changes := map[string]StoredChange{}
	for key, raw := range all {
		var pair []jsontext.Value
		if json.Unmarshal(raw, &pair) == nil && len(pair) == 2 && string(pair[0]) != string(pair[1]) {
			changes[key] = StoredChange{Old: pair[0], New: pair[1]}
		}
	}
	return changes
}
