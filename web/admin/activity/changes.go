package activity

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/activity"
	"banca/web/kit"
)

// object is a JSON object.
type object map[string]jsontext.Value

// changed is a value before and after a change. null is a missing value.
type changed struct {
	Old jsontext.Value `json:"old"`
	New jsontext.Value `json:"new"`
}

// details is the part of an entry's details with the changes.
type details struct {
	Changes map[string]changed `json:"changes"`
	More    int                `json:"more_changes"`
}

// changesOf returns the changes of the fields that an entry lists, or nil if it lists none.
func changesOf(v *kit.View, l *activity.Log) *kit.Diff {
	var d details
	if json.Unmarshal(l.Details, &d) != nil || len(d.Changes) == 0 {
		d.Changes = pairsOf(l)
	}
	if len(d.Changes) == 0 {
		return nil
	}
	diff := v.Diff()
	diff.More = d.More
	for _, key := range slices.Sorted(maps.Keys(d.Changes)) {
		change := d.Changes[key]
		diff.Add(fieldText(v, key), valueCell(v, l.Module, key, change.Old), valueCell(v, l.Module, key, change.New))
	}
	return diff
}

// pairsOf returns the changes in entries of users and sessions, whose details have a pair of values, before and after, for
// each field.
func pairsOf(l *activity.Log) map[string]changed {
	switch l.Module + "." + l.Action {
	case "users.update", "users.permissions", "sessions.extend":
	default:
		return nil
	}
	var all object
	if json.Unmarshal(l.Details, &all) != nil {
		return nil
	}
	changes := map[string]changed{}
	for key, raw := range all {
		var pair []jsontext.Value
		if json.Unmarshal(raw, &pair) == nil && len(pair) == 2 && string(pair[0]) != string(pair[1]) {
			changes[key] = changed{Old: pair[0], New: pair[1]}
		}
	}
	return changes
}

// fieldText returns the label of a field. The label of a setting begins with the label of its group.
func fieldText(v *kit.View, key string) string {
	group, name, grouped := strings.Cut(key, ".")
	if !grouped {
		return labelOf(v, key, "changed.", "setting.", "label.")
	}
	return labelOf(v, group, "group.") + " · " + settingText(v, name)
}

// settingText returns the label of a setting. The name of a commission is "commissions[category/bet type]", with * for any.
func settingText(v *kit.View, name string) string {
	rule, isRule := strings.CutPrefix(strings.TrimSuffix(name, "]"), "commissions[")
	category, betType, _ := strings.Cut(rule, "/")
	if !isRule {
		return labelOf(v, name, "changed.", "setting.", "label.")
	}
	for _, part := range []*string{&category, &betType} {
		if *part == "*" {
			*part = v.T("word.any")
		}
	}
	return v.T("changed.commission", category, betType)
}

// labelOf returns the text of the first key prefix + key that has one, or key.
func labelOf(v *kit.View, key string, prefixes ...string) string {
	for _, prefix := range prefixes {
		if text := v.T(prefix + key); text != prefix+key {
			return text
		}
	}
	return key
}

// kinds returns the kinds of objects, as in View.State, by the module of an entry.
func kinds() map[string]string {
	return map[string]string{"entities": "entity", "users": "user", "devices": "device", "games": "game"}
}

// valueCell returns the cell of a value.
func valueCell(v *kit.View, module, key string, value jsontext.Value) kit.Cell {
	var text string
	switch value.Kind() {
	case 'n', 0:
		return kit.Cell{}
	case 't':
		return kit.Text(v.T("word.yes"))
	case 'f':
		return kit.Text(v.T("word.no"))
	case '"':
		if json.Unmarshal(value, &text) != nil {
			return kit.Mono(string(value))
		}
	case '[':
		var list []string
		if json.Unmarshal(value, &list) != nil {
			return kit.Mono(string(value))
		}
		return kit.Text(strings.Join(list, ", "))
	default: // numbers and objects are shown unchanged
		return kit.Mono(string(value))
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return v.At(at)
	}
	if kind, known := kinds()[module]; known && key == "status" {
		return kit.Text(labelOf(v, text, "state."+kind+"."))
	}
	return kit.Text(text)
}
