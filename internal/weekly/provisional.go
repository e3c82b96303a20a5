package weekly

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"banca/internal/org"
)

// addProvisional adds the first week that is not drafted to a distribution, if it has begun and lies in the period. It returns the part of
// the entity with it.
func (s *Service) addProvisional(ctx context.Context, d *Distribution, f *DistributionFilter, own []Part) ([]Part, error) {
	next, err := nextWeek(ctx, s.PG.Pool, d.Currency.ID, s.thisWeek())
	if err != nil {
		return nil, err
	}
	if next.Before(f.From) || f.To.Before(next.AddDays(6)) || s.thisWeek().Before(next) {
		return own, nil
	}
	in, err := s.read(ctx, key{week: next, currency: d.Currency}, d.EntityID)
	if err != nil {
		return nil, err
	}
	labels := make(map[uuid.UUID]org.Label, len(in.entities))
	for i := range in.entities {
		labels[in.entities[i].ID] = org.Label{Name: in.entities[i].Name, Code: in.entities[i].Code, Type: in.entities[i].Type}
	}
	d.Provisional = next
	d.cover(next, next.AddDays(6))
	list := in.compute()
	for i := range list {
		switch w := &list[i]; d.EntityID {
		case w.EntityID:
			own = addPart(own, w, labels[w.EntityID])
		case w.ParentID:
			d.Children = addPart(d.Children, w, labels[w.EntityID])
		}
	}
	slices.SortFunc(d.Children, func(a, b Part) int { return cmp.Compare(a.Entity.Code, b.Entity.Code) })
	return own, nil
}

// addPart adds a week to the part of its entity.
func addPart(list []Part, w *drafted, label org.Label) []Part {
	at := slices.IndexFunc(list, func(p Part) bool { return p.EntityID == w.EntityID })
	if at < 0 {
		at, list = len(list), append(list, Part{EntityID: w.EntityID, Entity: label})
	}
	p := &list[at]
	p.Result += w.Result()
	p.Participation += w.Participation
	for i := range w.adjustments {
		p.Result -= w.adjustments[i].Prizes
		p.Participation += w.adjustments[i].Participation
	}
	p.OwnShare, p.CarryOut = p.OwnShare+w.OwnShare, w.CarryOut
	return list
}
