package kit

import (
	"fmt"

	"banca/internal/activity"
)

// LogPath is the address of the activity log. The address of an entry is LogPath + "/<id>".
const LogPath = "/admin/activity"

// idBegin and idEnd are the numbers of characters of a long id that are shown at its beginning and its end.
const idBegin, idEnd = 8, 6

// LogColumns returns the columns of a list of entries of the activity log.
func LogColumns() []Column[activity.Log] {
	return []Column[activity.Log]{
		{Title: "label.time", Orders: Orders{Ascending: "at", Descending: "-at"}, Cell: func(v *View, l *activity.Log) Cell { return v.At(l.At) }},
		{Title: "label.user", Cell: func(v *View, l *activity.Log) Cell {
			if l.UserName == "" {
				return Text(v.T("activity.service"))
			}
			return Text(l.UserName)
		}},
		{Title: "label.what", Cell: logAction},
		{Title: "label.entity", Cell: func(_ *View, l *activity.Log) Cell { return Text(l.Entity) }},
		{Title: "label.object", Cell: func(_ *View, l *activity.Log) Cell {
			if l.Target == "" {
				return Cell{}
			}
			return Mono(shortID(l.Target)).To(LogPath + "?target=" + l.Target)
		}},
		{Title: "label.note", Cell: func(_ *View, l *activity.Log) Cell { return Wrap(l.Note) }},
	}
}

// LogAddress returns the address of an entry.
func LogAddress(l *activity.Log) string { return LogPath + "/" + l.ID.String() }

// logAction returns the action of an entry, and whether a person wrote, corrected or removed the entry.
func logAction(v *View, l *activity.Log) Cell {
	badges := []Badge{v.ActionBadge(l.Module, l.Action)}
	if l.Manual {
		badges = append(badges, v.State("log", "manual"))
	}
	if l.Edited {
		badges = append(badges, v.State("log", "edited"))
	}
	if l.Removed {
		badges = append(badges, v.State("log", "removed"))
	}
	return Badges(badges...)
}

// shortID returns an id, shortened in the middle if it is long.
func shortID(id string) string {
	if len(id) <= idBegin+idEnd {
		return id
	}
	return fmt.Sprintf("%s…%s", id[:idBegin], id[len(id)-idEnd:])
}
