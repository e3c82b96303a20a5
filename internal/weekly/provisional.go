package weekly

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Running is the first week that is not drafted, as its draft would be now.
type Running struct {
	Week     businessday.Day
	Own      *Settlement  // of the entity; nil with nothing to settle, and for the operator
	Children []Settlement // of the entities directly below it, without own shares; the one that owes most is the first
}

// runningKey names a running week.
type runningKey struct{ entity, currency uuid.UUID }

// keptRunning is how many running weeks are kept for some seconds: open pages ask for theirs again and again.
const keptRunning = 1000

// RunningWeek returns the Monday of the first week that is not drafted in a currency; zero if it has not begun. Errors:
// ledger.ErrCurrencyNotFound.
func (s *Service) RunningWeek(ctx context.Context, currency string) (businessday.Day, error) {
	c, err := s.Ledger.AnyCurrency(ctx, currency)
	if err != nil {
		return businessday.Day{}, err
	}
	return s.runningWeek(ctx, s.PG.Pool, c.ID)
}

func (s *Service) runningWeek(ctx context.Context, db storage.RowQuerier, currency uuid.UUID) (businessday.Day, error) {
	next, err := nextWeek(ctx, db, currency, s.thisWeek())
	if err == nil && s.thisWeek().Before(next) {
		next = businessday.Day{}
	}
	return next, err
}

// Running computes the running week of an entity in the caller's scope; nil if that week has not begun. It lacks the
// sums that a draft takes back from an entity that has left the branch during the week. The answer may be some seconds
// old; callers must not change it. Errors: org.ErrEntityNotFound, ledger.ErrCurrencyNotFound.
func (s *Service) Running(ctx context.Context, by caller.Caller, currency string, entity uuid.UUID) (*Running, error) {
	chain, err := s.Org.Chain(ctx, entity)
	if err != nil {
		return nil, err
	}
	if !by.Scope.Contains(chain.Path()) {
		return nil, org.ErrEntityNotFound
	}
	c, err := s.Ledger.AnyCurrency(ctx, currency)
	if err != nil {
		return nil, err
	}
	return s.running.Get(ctx, runningKey{entity, c.ID}, func(ctx context.Context) (*Running, error) { return s.readRunning(ctx, c, entity) })
}

func (s *Service) readRunning(ctx context.Context, c ledger.Currency, entity uuid.UUID) (*Running, error) {
	week, err := s.runningWeek(ctx, s.PG.Pool, c.ID)
	if err != nil || week.IsZero() {
		return nil, err
	}
	in, err := s.read(ctx, key{week: week, currency: c}, entity, near(entity))
	if err != nil {
		return nil, err
	}
	list, running := in.compute(), &Running{Week: week}
	for i := range list {
		switch w := &list[i]; entity {
		case w.EntityID:
			running.Own = &w.Settlement
		case w.ParentID:
			w.OwnShare = 0 // it needs the totals of the entities below
			running.Children = append(running.Children, w.Settlement)
		}
	}
	slices.SortStableFunc(running.Children, func(a, b Settlement) int { return cmp.Compare(b.Outstanding(), a.Outstanding()) })
	return running, nil
}

// addProvisional adds the first week that is not drafted to a distribution, if it has begun and lies in the period. It returns the part of
// the entity with it.
func (s *Service) addProvisional(ctx context.Context, d *Distribution, f *DistributionFilter, own []Part) ([]Part, error) {
	next, err := s.runningWeek(ctx, s.PG.Pool, d.Currency.ID)
	if err != nil {
		return nil, err
	}
	if next.IsZero() || next.Before(f.From) || f.To.Before(next.AddDays(6)) {
		return own, nil
	}
	in, err := s.read(ctx, key{week: next, currency: d.Currency}, d.EntityID, (*inputs).ids)
	if err != nil {
		return nil, err
	}
	list := in.compute()
	d.Provisional = next
	d.cover(next, next.AddDays(6))
	for i := range list {
		switch w := &list[i]; d.EntityID {
		case w.EntityID:
			own = addPart(own, w)
		case w.ParentID:
			d.Children = addPart(d.Children, w)
		}
	}
	slices.SortFunc(d.Children, func(a, b Part) int { return cmp.Compare(a.Entity.Code, b.Entity.Code) })
	return own, nil
}

// addPart adds a week to the part of its entity.
func addPart(list []Part, w *drafted) []Part {
	at := slices.IndexFunc(list, func(p Part) bool { return p.EntityID == w.EntityID })
	if at < 0 {
		at, list = len(list), append(list, Part{EntityID: w.EntityID, Entity: org.Label{Name: w.Entity, Code: w.Code, Type: w.Type}})
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
