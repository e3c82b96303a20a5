package catalog

import (
	"fmt"
	"net/url"
	"strings"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/models"
	"banca/web/kit"
)

// editor is the form of one field of a game.
type editor interface {
	// field is the name of the field.
	field() string
	// groups declares the fields of the form. typed are the values of a sent form, which may have more rows than the game.
	groups(s *subject, typed url.Values) []group
	// fill sets the values of the form to those of the game.
	fill(s *subject, form *kit.Form)
	// read reads the form as a change of the game, and marks the fields that it cannot read.
	read(s *subject, form *kit.Form) reading
}

// subject is the game that a form is about, with what can be chosen in the form.
type subject struct {
	row        *models.Game
	game       *catalog.Game
	others     []catalog.GameTitle
	currencies []ledger.Currency // active ones
	sources    []string          // names of configured sources of results
	r          *kit.Request
}

// group is a part of a form under a title.
type group struct {
	Title, Note string
	Parts       []part
}

// part is a row of fields; a folded one opens by its title.
type part struct {
	Title  string
	Inputs []kit.Input
	Folded bool
}

// reading is a form as it was read.
type reading struct {
	change catalog.GameChange
	places map[string]string // fields of the form by the place of their value in the document
}

// of returns the game with another content, for the values before and after a change.
func (s *subject) of(row *models.Game) *subject {
	other := *s
	other.row = row
	return &other
}

// t returns a text in the language of the page.
func (s *subject) t(key string, args ...any) string {
	if len(args) == 0 {
		return s.r.T(key)
	}
	return fmt.Sprintf(s.r.T(key), args...)
}

// decimal writes a decimal number with the sign of the page's language.
func (s *subject) decimal(text string) string {
	if s.r.Language == kit.Spanish {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// formOf returns the form of groups, without values.
func formOf(groups []group) *kit.Form {
	var inputs []kit.Input
	for _, g := range groups {
		for _, p := range g.Parts {
			inputs = append(inputs, p.Inputs...)
		}
	}
	return kit.NewForm(inputs...)
}

// changeOf returns a change of a field.
func changeOf(field string, doc object) catalog.GameChange {
	return catalog.GameChange{Documents: catalog.Documents{field: doc.bytes()}}
}

// refuse marks the fields that an error names. It returns the errors that belong to no field.
func (read *reading) refuse(form *kit.Form, details []kit.Detail) []kit.Detail {
	var rest []kit.Detail
	for _, d := range details {
		if name := read.fieldAt(d.Location); name != "" {
			form.RefuseFor(name, strings.ToUpper(d.Message[:1])+d.Message[1:]+".")
			continue
		}
		rest = append(rest, d)
	}
	return rest
}

// fieldAt returns the field whose value is at a place or around it.
func (read *reading) fieldAt(place string) string {
	for place != "" {
		if name, ok := read.places[place]; ok {
			return name
		}
		place = place[:max(strings.LastIndexAny(place, ".["), 0)]
	}
	return ""
}

// rowsOf returns how many rows of a list a form has: those of the game or of the sent form, and an empty one.
func rowsOf(there, most int, typed url.Values, first string) int {
	n := there
	for typed.Has(fmt.Sprintf(first, n)) && strings.TrimSpace(typed.Get(fmt.Sprintf(first, n))) != "" {
		n++
	}
	return min(n+1, most)
}
