package weekly

import (
	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// Adjustment restates an earlier week of the same entity and currency.
type Adjustment struct {
	RestatesID    uuid.UUID
	Week          businessday.Day
	Prizes        money.Amount // that the prizes paid in that week change by
	Participation money.Amount // that the entity's share in that week changes by
}

// Due is what the adjustment adds to what the entity owes.
func (a *Adjustment) Due() money.Amount { return -a.Prizes - a.Participation }

// pastWeek is a settled week as it was restated up to now.
type pastWeek struct {
	id            uuid.UUID
	week          businessday.Day
	result        money.Amount // less the prizes of earlier adjustments
	participation money.Amount // with earlier adjustments
	rate          money.BasisPoints
	mode          string
}

// restate returns the adjustments of the past weeks of an entity, in their order, after the prizes paid in some of
// them changed, and the loss that is carried out of the last one.
func restate(past []pastWeek, changed map[businessday.Day]money.Amount) (list []Adjustment, carried money.Amount) {
	for i := range past {
		w := &past[i]
		var granted money.Amount
		granted, carried = share(w.rate, w.mode, w.result-changed[w.week], carried)
		a := Adjustment{
			RestatesID: w.id, Week: w.week, Prizes: changed[w.week], Participation: granted - w.participation,
		}
		if a.Prizes != 0 || a.Participation != 0 {
			list = append(list, a)
		}
	}
	return list, carried
}
