package activity

import (
	"maps"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
)

// maxChanges bounds what the changes of one entry may take, in bytes.
const maxChanges = 10 << 10

// Change is the value of a field before and after a change. A missing value is null.
type Change struct {
	Old any `json:"old"`
	New any `json:"new"`
}

// Changes are the fields that differ, by name. Details hold them as "changes".
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

// Bound removes the fields beyond maxChanges, last in the alphabet first, and returns their number.
func (c *Changes) Bound() (removed int) {
	room := maxChanges
	for _, field := range slices.Sorted(maps.Keys(*c)) {
		raw, err := json.Marshal((*c)[field])
		if room -= len(field) + len(raw); err != nil || room < 0 {
			delete(*c, field)
			removed++
		}
	}
	return removed
}
