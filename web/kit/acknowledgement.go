package kit

import (
	"time"

	"github.com/google/uuid"
)

// Acknowledgement returns the last columns of a list of alerts: their state, and the form that acknowledges an open one, or
// the notice of the alert that was acknowledged just now. list is the address of the list, whose action is below
// "/<id>/acknowledge"; of returns the alert's id and the time of its acknowledgement, zero for an open one.
func Acknowledgement[R any](list string, of func(row *R) (id uuid.UUID, at time.Time)) []Column[R] {
	return []Column[R]{
		{Title: "label.state", Cell: func(v *View, row *R) Cell {
			if _, at := of(row); !at.IsZero() {
				return Badges(v.State("alert", "seen"))
			}
			return Badges(v.State("alert", "open"))
		}},
		{Cell: func(v *View, row *R) Cell {
			id, at := of(row)
			if notice := v.Beside(id.String()); notice != nil {
				return v.Part("beside-cell", notice)
			}
			if !at.IsZero() {
				return None()
			}
			return v.Button(v.Press(list+"/"+id.String()+"/acknowledge", v.T("bank.alerts.seen")))
		}},
	}
}
