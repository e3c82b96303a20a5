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

// changesOf returns the changes of the fields that an entry lists, or nil if it lists none.
func changesOf(v *kit.View, l *activity.Log) *kit.Diff {
	changes, more := l.Changes()
	if len(changes) == 0 {
		return nil
	}
	diff := v.Diff()
	diff.More = more
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		change := changes[key]
		diff.Add(fieldText(v, key), valueCell(v, l.Module, key, change.Old), valueCell(v, l.Module, key, change.New))
	}
	return diff
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
