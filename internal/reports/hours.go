package reports

import (
	"context"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/rollup"
)

// Hours returns the net sales of the entity by hour; days of more than five weeks ago have none. Games are not
// distinguished: a game or category of the filter is ignored. Errors: see ask.
func (s *Service) Hours(ctx context.Context, by caller.Caller, f *Filter) ([]rollup.Hour, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	return s.totals.Hours(ctx, &q.query)
}

// Pace is the net sales of an entity by hour, today and on the same weekday of last week.
type Pace struct {
	Today, Before []rollup.Hour
	at            time.Time
}

// Pace returns the sales by hour. The period of the filter is ignored. Errors: see ask.
func (s *Service) Pace(ctx context.Context, by caller.Caller, f *Filter) (*Pace, error) {
	p := &Pace{at: s.clock.Now().In(s.zone)}
	today := businessday.Of(p.at, s.zone)
	for day, into := range map[businessday.Day]*[]rollup.Hour{today: &p.Today, today.AddDays(-daysOfWeek): &p.Before} {
		one := *f
		one.From, one.To = day, day
		hours, err := s.Hours(ctx, by, &one)
		if err != nil {
			return nil, err
		}
		*into = hours
	}
	return p, nil
}

// ByNow returns the net sales of the earlier day up to the present time of day: its whole hours, and the passed share
// of the present hour.
func (p *Pace) ByNow() (sold money.Amount) {
	const minutes = 60
	for i := range p.Before {
		switch h := &p.Before[i]; {
		case h.Hour < p.at.Hour():
			sold += h.Sold
		case h.Hour == p.at.Hour():
			sold += h.Sold * money.Amount(p.at.Minute()) / minutes
		}
	}
	return sold
}

// Hour is the present hour of the day, 0 to 23.
func (p *Pace) Hour() int { return p.at.Hour() }
