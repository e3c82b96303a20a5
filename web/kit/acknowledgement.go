package kit

import (
	"time"

	"github.com/google/uuid"
)

// Acknowledgement returns the last two columns of a list of alerts: the state of an alert, and the form that acknowledges
// an open one, or the notice beside the alert that was just acknowledged. list is the address of the list; the form is
// sent to list + "/<id>/acknowledge". of returns the id of an alert and the time of its acknowledgement, which is zero for
// an open alert.
func Acknowledgement[R any](list string, of func(row *R) (id uuid.UUID, at time.Time)) []Column[R] {
	return []Column[R]{
		StateColumn("alert", func(row *R) string {
			if _, at := of(row); !at.IsZero() {
				return "seen"
			}
			return "open"
		}),
		{Cell: func(v *View, row *R) Cell {
			id, at := of(row)
			if notice := v.Beside(id.String()); notice != nil {
				return v.Part("beside-cell", notice)
			}
			if !at.IsZero() {
				return None()
			}
			return v.ButtonCell(v.ActionButton(list+"/"+id.String()+"/acknowledge", v.T("bank.alerts.seen")))
		}},
	}
}
