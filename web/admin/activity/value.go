package activity

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// kindOf returns the kind of the objects of a module, as in View.State; "" for none.
func kindOf(module string) string {
	switch module {
	case "entities":
		return "entity"
	case "users":
		return "user"
	case "devices":
		return "device"
	case "games":
		return "game"
	default:
		return ""
	}
}

// prefixOf returns the prefix of the keys of the texts of a field's values; "" for none.
func prefixOf(field string) string {
	switch field {
	case "role":
		return "role."
	case "auth_method":
		return "users.method."
	case "granted", "denied":
		return "perm."
	case "entity_type":
		return "type."
	case "bet_type":
		return "bet."
	case "fields":
		return "changed."
	case "purpose":
		return "texts.purpose."
	case "messages":
		return "message.kind."
	default:
		return ""
	}
}

// valueCell returns the cell of a value of a field. An id shows the name of its object, and is empty without one.
func (p *entryPage) valueCell(v *kit.View, field string, value jsontext.Value) kit.Cell {
	switch value.Kind() {
	case 't':
		return kit.Text(v.T("word.yes"))
	case 'f':
		return kit.Text(v.T("word.no"))
	case '0':
		return kit.Text(string(value))
	case '"':
		var text string
		if json.Unmarshal(value, &text) != nil {
			return kit.Cell{}
		}
		return p.textCell(v, field, text)
	case '[':
		return kit.Wrap(p.listText(v, field, value))
	case '{':
		return kit.Wrap(p.membersText(v, value))
	default: // null, or no value
		return kit.Cell{}
	}
}

func (p *entryPage) textCell(v *kit.View, field, text string) kit.Cell {
	if id, err := uuid.Parse(text); err == nil {
		return p.Names.Of(v, id).Cell()
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return v.At(at)
	}
	if members := membersOf(jsontext.Value(text)); members != nil {
		return kit.Wrap(p.membersText(v, jsontext.Value(text)))
	}
	if kind := kindOf(p.Module); kind != "" && field == "status" {
		return kit.Text(sentence.Label(v, text, "state."+kind+"."))
	}
	if prefix := prefixOf(field); prefix != "" {
		return kit.Wrap(sentence.Label(v, text, prefix))
	}
	return kit.Wrap(text)
}

// listText joins the texts of the values of a list.
func (p *entryPage) listText(v *kit.View, field string, value jsontext.Value) string {
	var list []jsontext.Value
	if json.Unmarshal(value, &list) != nil {
		return ""
	}
	var texts []string
	for _, item := range list {
		cell := p.valueCell(v, field, item)
		if text := cell.Text + cell.Time.Local; text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, ", ")
}

// membersText writes an object as its labels and values.
func (p *entryPage) membersText(v *kit.View, value jsontext.Value) string {
	members := membersOf(value)
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		cell := p.valueCell(v, name, members[name])
		if text := cell.Text + cell.Time.Local; text != "" {
			texts = append(texts, sentence.Label(v, name, "detail.", "changed.", "setting.", "label.")+": "+text)
		}
	}
	return strings.Join(texts, "; ")
}
