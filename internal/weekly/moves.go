package weekly

import (
	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/money"
)

// moves returns what entities owe that changed their place in the tree, by the entities above them: negative for those that they left, positive
// for those that they came to. A wallet goes with its entity, so its debt does.
//
// An entity moves what it owed before the week, and what it owes of the week for tickets that it sold at the old place. Payments need not
// move: they are counted where the entity is now.
func (in *inputs) moves() map[uuid.UUID]money.Amount {
	at := make(map[uuid.UUID]*org.Participant, len(in.entities))
	for i := range in.entities {
		at[in.entities[i].ID] = &in.entities[i]
	}
	moved := map[uuid.UUID]money.Amount{}
	add := func(parent uuid.UUID, amount money.Amount) {
		for e := at[parent]; e != nil; e = at[e.Parent] {
			moved[e.ID] += amount
		}
	}
	for id, last := range in.last {
		if now := at[id].Parent; last.parent != now {
			add(last.parent, -last.balance)
			add(now, last.balance)
		}
	}
	for i := range in.byParent {
		row := &in.byParent[i]
		e := at[row.EntityID]
		if e.Parent != row.ParentID {
			owed := row.NetSales() - row.Paid - row.Commission.Of(e.Type) - row.Commission.Below(e.Type)
			add(row.ParentID, -owed)
			add(e.Parent, owed)
		}
	}
	return moved
}
