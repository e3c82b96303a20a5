package kit

import (
	"fmt"

	"banca/internal/activity"
)

// LogPath is the address of the activity log; an entry is below it.
const LogPath = "/admin/activity"

// idBegin and idEnd are how many characters of a long id are shown at its ends.
const idBegin, idEnd = 8, 6

// LogColumns are the columns of entries of the activity log.
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

// LogAddress is the address of an entry.
func LogAddress(l *activity.Log) string { return LogPath + "/" + l.ID.String() }

// logAction is what an entry tells, and whether it was written, corrected or removed by a person.
func logAction(v *View, l *activity.Log) Cell {
	badges := []Badge{v.Did(l.Module, l.Action)}
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

// shortID returns both ends of a long id.
func shortID(id string) string {
	if len(id) <= idBegin+idEnd {
		return id
	}
	return fmt.Sprintf("%s…%s", id[:idBegin], id[len(id)-idEnd:])
}
