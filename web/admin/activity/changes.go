package activity

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// Changes returns the changes of the fields that the entry lists, or nil if it lists none.
func (p *entryPage) Changes(v *kit.View) *kit.Diff {
	changes, more := p.Log.Changes()
	if len(changes) == 0 {
		return nil
	}
	diff := v.Diff()
	diff.More = more
	for _, field := range slices.Sorted(maps.Keys(changes)) {
		p.addChange(v, diff, sentence.FieldLabel(v, field), field, changes[field].Old, changes[field].New)
	}
	return diff
}

// changesText writes the changes on one line, for a file.
func (p *entryPage) changesText(v *kit.View) string {
	diff := p.Changes(v)
	if diff == nil {
		return ""
	}
	var texts []string
	for _, row := range diff.Rows {
		texts = append(texts, row.Field+": "+cellText(&row.Before)+" → "+cellText(&row.After))
	}
	if more := diff.MoreText(); more != "" {
		texts = append(texts, more)
	}
	return strings.Join(texts, "; ")
}

// detailsText writes the details on one line, for a file.
func (p *entryPage) detailsText(v *kit.View) string {
	var texts []string
	for _, fact := range p.Details(v) {
		texts = append(texts, fact.Name+": "+cellText(&fact.Value))
	}
	return strings.Join(texts, "; ")
}

func cellText(c *kit.Cell) string { return cmp.Or(c.Text+c.Time.Local, "—") }

// addChange adds a changed field. The changed members of an object are fields of their own.
func (p *entryPage) addChange(v *kit.View, diff *kit.Diff, label, field string, before, after jsontext.Value) {
	old, current := membersOf(before), membersOf(after)
	if old == nil && current == nil {
		diff.Add(label, p.valueCell(v, field, before), p.valueCell(v, field, after))
		return
	}
	all := maps.Clone(old)
	if all == nil {
		all = map[string]jsontext.Value{}
	}
	maps.Copy(all, current)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if string(old[name]) != string(current[name]) {
			p.addChange(v, diff, label+" · "+sentence.FieldLabel(v, name), name, old[name], current[name])
		}
	}
}

// membersOf returns the members of an object, or nil for another value. A string may hold an object.
func membersOf(value jsontext.Value) (members map[string]jsontext.Value) {
	var text string
	if value.Kind() == '"' && json.Unmarshal(value, &text) == nil {
		value = jsontext.Value(text)
	}
	if !value.IsValid() || value.Kind() != '{' || json.Unmarshal(value, &members) != nil {
		return nil
	}
	return members
}

// Details returns what the entry recorded beside its changes and its note: the labels of the members with their values.
func (p *entryPage) Details(v *kit.View) []kit.Fact {
	members := membersOf(p.Log.Details)
	for _, shown := range []string{"changes", "more_changes", "truncated"} {
		delete(members, shown)
	}
	if !p.Edited { // the page shows the newest note
		delete(members, "note")
	}
	if changes, _ := p.Log.Changes(); membersOf(members["changes"]) == nil { // an old entry, whose details are its changes
		for field := range changes {
			delete(members, field)
		}
	}
	var facts []kit.Fact
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if cell := p.valueCell(v, name, members[name]); !cell.Empty() {
			facts = append(facts, kit.Fact{Name: sentence.Label(v, name, "detail.", "changed.", "setting.", "label."), Value: cell})
		}
	}
	return facts
}

// idsIn returns the ids in the details of an entry.
func idsIn(l *activity.Log) (ids []uuid.UUID) {
	decoder := jsontext.NewDecoder(bytes.NewReader(l.Details))
	for {
		token, err := decoder.ReadToken()
		if err != nil { // the end, or details of another form, which name no more
			return ids
		}
		if token.Kind() != '"' {
			continue
		}
		if id, err := uuid.Parse(token.String()); err == nil {
			ids = append(ids, id)
		}
	}
}

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
	case "messaging":
		return "message"
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
