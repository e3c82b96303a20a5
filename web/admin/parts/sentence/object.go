package sentence

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/web/kit"
)

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
