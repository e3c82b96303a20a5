package weekly

import (
	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/models"
)

// drafted is a settlement to insert, with its adjustments.
type drafted struct {
	Settlement

	adjustments []Adjustment
}

// compute returns the settlements of a week: of every entity below the operator with anything to settle or owed.
// Parents come before their children.
func (in *inputs) compute() []drafted {
	list := make([]drafted, 0, len(in.entities))
	moved := in.moves()
	granted := make(map[uuid.UUID]money.Amount, len(in.entities)) // with the shares below, by entity
	below := make(map[uuid.UUID]money.Amount, len(in.entities))   // granted to the children of an entity
	for i := range in.entities {
		e := &in.entities[i]
		if e.Type == models.EntityOperator {
			continue
		}
		d := in.draftOf(e)
		d.Moved = moved[e.ID]
		granted[e.ID] = d.Participation
		for j := range d.adjustments {
			granted[e.ID] += d.adjustments[j].Participation
		}
		below[e.Parent] += granted[e.ID]
		list = append(list, d)
	}
	used := list[:0]
	for i := range list {
		d := &list[i]
		d.OwnShare = granted[d.EntityID] - below[d.EntityID]
		if !d.empty() {
			used = append(used, *d)
		}
	}
	return used
}

// draftOf computes the settlement of one entity, without its own share.
func (in *inputs) draftOf(e *org.Participant) drafted {
	t := in.totals[e.ID]
	last := in.last[e.ID]
	d := drafted{Settlement: Settlement{
		ID: uuid.Must(uuid.NewV7()), Week: in.week, EntityID: e.ID, ParentID: e.Parent, Currency: in.currency,
		Entity: e.Name, Code: e.Code, Type: e.Type, Path: e.Path, Status: Provisional,
		PreviousID: last.id, Previous: last.balance,
		Figures: Figures{
			Sales: t.NetSales(), Prizes: t.Paid, Commissions: t.Commission.Of(e.Type) + t.Commission.Below(e.Type),
			Payments: in.payments[e.ID],
			Rate:     e.Rate, Mode: e.Mode, Carried: last.carryOut,
		},
	}}
	if last.id == uuid.Nil {
		d.Previous = in.openings[e.ID]
	}
	d.CommissionsAbove = t.Commission.Total() - d.Commissions
	if changed := in.differences[e.ID]; changed != nil {
		d.adjustments, d.Carried = restate(in.past[e.ID], changed)
	}
	for i := range d.adjustments {
		d.Prizes -= d.adjustments[i].Prizes
		d.Adjustments += d.adjustments[i].Due()
	}
	d.Participation, d.CarryOut = share(d.Rate, d.Mode, d.Result(), d.Carried)
	d.sum()
	return d
}

// empty reports whether there is nothing to settle.
func (d *drafted) empty() bool {
	f := d.Figures
	f.Rate, f.Mode = 0, ""
	return f == Figures{} && d.Previous == 0 && d.Moved == 0 && len(d.adjustments) == 0
}
