package sentence

import (
	"strings"

	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/web/admin/links"
	"banca/web/kit"
)

// Path is the address of the activity log. The address of an entry is Path + "/<id>".
const Path = links.Activity

// Row is an entry of a list, with the names for its sentence.
type Row struct {
	activity.Log

	Names *Names
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

// Columns returns the columns of a list of entries. The time leads to the page of the entry, because its sentence has links
// of its own.
func Columns() []kit.Column[Row] {
	return []kit.Column[Row]{
		{Title: "label.time", Orders: kit.Orders{Ascending: "at", Descending: "-at"}, Cell: func(v *kit.View, l *Row) kit.Cell {
			return v.At(l.At).To(Path + "/" + l.ID.String())
		}},
		{Title: "label.what", Cell: func(v *kit.View, l *Row) kit.Cell {
			return kit.Cell{HTML: "<span> " + l.Names.HTML(v, &l.Log) + "</span>", Style: "wrap", Badges: l.badges(v)}.WithSecondLine(changedText(v, &l.Log))
		}},
		{Title: "label.entity", Cell: func(v *kit.View, l *Row) kit.Cell { return l.Names.Entity(v, &l.Log).Cell() }},
		{Title: "label.note", Cell: func(_ *kit.View, l *Row) kit.Cell { return kit.Wrap(l.Note) }},
	}
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
