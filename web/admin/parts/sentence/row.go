// Package sentence writes the entries of the activity log as sentences, such as "Ana Pérez changed the schedule of Ruleta
// Activa", for the lists and pages that show them.
//
// The text did.<module>.<action> of the catalogue names an action without its object. The text said.<module>.<action> is the
// rest of a sentence after the name of the user, with %s for the object; said.<module>.<action>.<field> replaces it if only that
// field was changed. An entry without a name of its object, or without such a text, uses did. An unknown action uses did.unknown.
package sentence

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/web/admin/links"
	"banca/web/kit"
)

// Parts returns the sentence of an entry: names with their links, and the texts between them.
func (n *Names) Parts(v *kit.View, l *activity.Log) []Name {
	user, object := n.User(v, l), n.Object(v, l)
	text := said(v, l)
	if object.Text == "" || text == "" {
		return []Name{user, {Text: " " + lower(Deed(v, l))}}
	}
	before, after, _ := strings.Cut(text, "%s")
	return []Name{user, {Text: " " + before}, object, {Text: after}}
}

// Text returns the sentence of an entry without links.
func (n *Names) Text(v *kit.View, l *activity.Log) string {
	var text strings.Builder
	for _, part := range n.Parts(v, l) {
		text.WriteString(part.Text)
	}
	return text.String()
}

// HTML returns the sentence of an entry with links.
func (n *Names) HTML(v *kit.View, l *activity.Log) template.HTML {
	var html strings.Builder
	for _, part := range n.Parts(v, l) {
		html.WriteString(string(part.HTML()))
	}
	return template.HTML(html.String()) //nolint:gosec // the parts are escaped
}

// HTML returns the name as a link, if it has one.
func (n Name) HTML() template.HTML {
	text := template.HTMLEscapeString(n.Text)
	if n.Link != "" {
		text = `<a href="` + template.HTMLEscapeString(n.Link) + `">` + text + `</a>`
	}
	return template.HTML(text) //nolint:gosec // escaped above
}

// Cell returns the name as a cell.
func (n Name) Cell() kit.Cell { return kit.Text(n.Text).To(n.Link) }

// Deed returns the text of the action of an entry, without its object.
func Deed(v *kit.View, l *activity.Log) string {
	return v.FirstText("did."+keyOf(l), "did.unknown")
}

// said returns the text of a sentence with %s for the object; "" for an action whose object is not named.
func said(v *kit.View, l *activity.Log) string {
	key := keyOf(l)
	if v.FirstText("did."+key) == "" {
		return v.T("said.unknown")
	}
	keys := []string{"said." + key}
	if fields := changedFields(l); len(fields) == 1 {
		keys = append([]string{"said." + key + "." + fields[0]}, keys...)
	}
	return v.FirstText(keys...)
}

// keyOf returns the key of the texts of an entry. Module and action of an entry that a person wrote are free text.
func keyOf(l *activity.Log) string {
	if l.Manual {
		return "manual"
	}
	return l.Module + "." + l.Action
}

// lower returns a text with a small first letter.
func lower(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// Path is the address of the activity log. The address of an entry is Path + "/<id>".
const Path = links.Activity

// Row is an entry of a list, with the names for its sentence.
type Row struct {
	activity.Log

	Names *Names
	Same  []Row // the entries of the row; nil for one entry
}

// Rows returns the rows of entries. They also name the objects with further ids.
func Rows(r *kit.Request, log *activity.Service, entries []activity.Log, ids ...uuid.UUID) ([]Row, error) {
	names, err := NamesOf(r, log, entries, ids...)
	if err != nil {
		return nil, err
	}
	return kit.Map(entries, func(l *activity.Log) Row { return Row{Log: *l, Names: names} }), nil
}

// State lists whether a person wrote, corrected or removed the entry, for a file.
func (l *Row) State(v *kit.View) string {
	var texts []string
	for _, badge := range l.badges(v) {
		texts = append(texts, badge.Text)
	}
	return strings.Join(texts, ", ")
}

// Link returns the address of the entry, or of the list of the action of a row of several entries.
func Link(l *Row) string {
	if l.Same != nil {
		return Path + "?" + url.Values{"module": {l.Module}, "action": {l.Action}}.Encode()
	}
	return Path + "/" + l.ID.String()
}

// several returns the sentence of a row of several entries, which opens the list of their objects.
func (l *Row) several(v *kit.View) kit.Cell {
	text := v.T("activity.times", lower(Deed(v, &l.Log)), len(l.Same))
	if key := "many." + keyOf(&l.Log); v.FirstText(key) != "" {
		text = v.T(key, len(l.Same))
	}
	html := "<details><summary>" + Name{Text: l.Names.User(v, &l.Log).Text + " " + text}.HTML() + "</summary>"
	for i := range l.Same {
		if i > 0 {
			html += " · "
		}
		one := &l.Same[i]
		html += Name{Text: cmp.Or(one.Names.Object(v, &one.Log).Text, v.Clock(one.At)), Link: Link(one)}.HTML()
	}
	return kit.Cell{HTML: html + "</details>", Style: "wrap"}
}

// Columns returns the columns of a list of entries.
func Columns() []kit.Column[Row] {
	return []kit.Column[Row]{
		{Title: "label.time", Orders: kit.Orders{Ascending: "at", Descending: "-at"}, Cell: func(v *kit.View, l *Row) kit.Cell {
			return v.At(l.At)
		}},
		{Title: "label.what", Cell: func(v *kit.View, l *Row) kit.Cell {
			if l.Same != nil {
				return l.several(v)
			}
			return kit.Cell{HTML: "<span> " + l.Names.HTML(v, &l.Log) + "</span>", Style: "wrap", Badges: l.badges(v)}.WithSecondLine(l.below(v))
		}},
		{Title: "label.entity", WideOnly: true, Cell: func(v *kit.View, l *Row) kit.Cell { return l.Names.Entity(v, &l.Log).Cell() }},
	}
}

// below is what the entry changed, and its note.
func (l *Row) below(v *kit.View) string {
	return strings.Join(slices.DeleteFunc([]string{changedText(v, &l.Log), l.Note}, func(text string) bool { return text == "" }), " · ")
}

// badges returns whether a person wrote, corrected or removed the entry.
func (l *Row) badges(v *kit.View) []kit.Badge {
	var badges []kit.Badge
	for _, state := range []struct {
		name string
		has  bool
	}{{"manual", l.Manual}, {"edited", l.Edited}, {"removed", l.Removed}} {
		if state.has {
			badges = append(badges, v.State("log", state.name))
		}
	}
	return badges
}
