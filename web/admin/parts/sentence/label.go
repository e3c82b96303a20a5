package sentence

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/web/kit"
)

// Label returns the text of the first key prefix + name that has one, otherwise the name with its underscores as spaces.
func Label(v *kit.View, name string, prefixes ...string) string {
	keys := kit.Map(prefixes, func(prefix *string) string { return *prefix + name })
	return cmp.Or(v.FirstText(keys...), strings.ReplaceAll(name, "_", " "))
}

// FieldLabel returns the label of a field. The label of a setting begins with the label of its group.
func FieldLabel(v *kit.View, field string) string {
	group, name, grouped := strings.Cut(field, ".")
	if !grouped {
		return Label(v, field, "changed.", "detail.", "setting.", "label.")
	}
	return Label(v, group, "group.", "changed.") + " · " + settingLabel(v, name)
}

// settingLabel returns the label of a setting. The name of a commission is "commissions[category/bet type]", with * for any.
func settingLabel(v *kit.View, name string) string {
	rule, isRule := strings.CutPrefix(strings.TrimSuffix(name, "]"), "commissions[")
	category, betType, _ := strings.Cut(rule, "/")
	if !isRule {
		return Label(v, name, "changed.", "setting.", "label.")
	}
	for _, part := range []*string{&category, &betType} {
		if *part == "*" {
			*part = v.T("word.any")
		}
	}
	return v.T("changed.commission", category, Label(v, betType, "bet."))
}

// maxFields bounds the fields that a sentence lists.
const maxFields = 4

// changedFields returns the names of the changed fields of an entry, in order. The fields of a created object are not changed ones.
func changedFields(l *activity.Log) []string {
	if l.Action == "create" {
		return nil
	}
	changes, _ := l.Changes()
	fields := slices.Concat(slices.Sorted(maps.Keys(changes)), recordedIn(l).Fields)
	slices.Sort(fields)
	return slices.Compact(fields)
}

// changedText lists the labels of the changed fields of an entry; "" without them.
func changedText(v *kit.View, l *activity.Log) string {
	fields := changedFields(l)
	var labels []string
	for _, field := range fields[:min(len(fields), maxFields)] {
		labels = append(labels, FieldLabel(v, field))
	}
	text := strings.Join(labels, ", ")
	if len(fields) > maxFields {
		text += " …"
	}
	return text
}

// recorded are the details of an entry that name its object.
type recorded struct {
	Name   string   `json:"name"`
	Serial string   `json:"serial_code"`
	Pair   string   `json:"pair"`
	Code   string   `json:"code"`
	Game   string   `json:"game"`
	Fields []string `json:"fields"` // changed ones whose values are not recorded
}

// recordedIn returns the details that name the object. Details of another form name none.
func recordedIn(l *activity.Log) (d recorded) {
	if json.Unmarshal(l.Details, &d) != nil {
		return recorded{}
	}
	return d
}

// Object returns the name of the object of an entry: its present name, otherwise the recorded one. It is empty for an
// object that only has an id.
func (n *Names) Object(v *kit.View, l *activity.Log) Name {
	if l.Manual {
		return Name{Text: withoutID(l.Target)}
	}
	if id, err := uuid.Parse(l.Target); err == nil {
		of := n.Of
		if l.Module == "prizes" {
			of = n.Prize
		}
		name := of(v, id)
		if name.Text == "" {
			d := recordedIn(l)
			name.Text = cmp.Or(d.Name, d.Serial, d.Pair, d.Game, d.Code)
		}
		return name
	}
	first, _, _ := strings.Cut(l.Target, "/")
	switch l.Module {
	case "queues":
		return Name{Text: Label(v, first, "queue.")}
	case "messaging":
		return Name{Text: Label(v, first, "texts.purpose.", "message.kind.")}
	default:
		return Name{Text: withoutID(l.Target)}
	}
}

// ids matches an id or a character of a structure in a text.
var ids = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[{}\[\]"]`)

// withoutID returns a text, or "" if it has an id or a structure in it.
func withoutID(text string) string {
	if ids.MatchString(text) {
		return ""
	}
	return text
}
