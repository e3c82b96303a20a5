package reports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/recent"
	"banca/internal/rollup"
	"banca/storage"
)

// maxDays bounds the period of a report.
const maxDays = 366

// Service answers reports.
type Service struct {
	pg      *storage.Postgres
	org     *org.Service
	catalog *catalog.Service
	ledger  *ledger.Service
	totals  *rollup.Service
	clock   clock.Clock
	zone    *time.Location
	recent  *recent.Answers[drawsKey, *Draws]
}

// Deps are the dependencies of a Service. All are required.
type Deps struct {
	PG      *storage.Postgres
	Org     *org.Service
	Catalog *catalog.Service
	Ledger  *ledger.Service
	Totals  *rollup.Service
	Clock   clock.Clock
	Zone    *time.Location // of business days
}

// New returns the service.
func New(d Deps) *Service {
	return &Service{
		pg: d.PG, org: d.Org, catalog: d.Catalog, ledger: d.Ledger, totals: d.Totals, clock: d.Clock, zone: d.Zone, recent: recent.New[drawsKey, *Draws](drawsKept),
	}
}

// Filter selects what a report is about.
type Filter struct {
	EntityID   uuid.UUID       // with everything below it; Nil is the caller's entity
	From, To   businessday.Day // both included; a zero To is From, a zero From is To, and both are today
	Currency   string          // id or code
	CategoryID uuid.UUID       // of the games; Nil for all
	GameID     uuid.UUID       // Nil for all
}

// Entity is an entity as reports name it.
type Entity struct {
	ID   uuid.UUID
	Name string
	Code string
	Type string
}

// Head says what a report is about.
type Head struct {
	Entity   Entity
	Currency ledger.Currency
	From, To businessday.Day
	AsOf     time.Time // the events up to this time are counted; zero if none was ever counted
}

// question is a checked filter.
type question struct {
	Head

	path  string // of the entity
	query rollup.Query
}

// ask checks a filter. Errors: ErrPeriodReversed, ErrPeriodTooLong, org.ErrEntityNotFound, ledger.ErrCurrencyNotFound,
// catalog.ErrCategoryNotFound, catalog.ErrGameNotFound.
func (s *Service) ask(ctx context.Context, by caller.Caller, f *Filter) (*question, error) {
	q := &question{}
	var err error
	if q.From, q.To, err = s.period(f.From, f.To); err != nil {
		return nil, err
	}
	entity := f.EntityID
	if entity == uuid.Nil {
		entity = by.EntityID
	}
	chain, err := s.org.Chain(ctx, entity)
	if err != nil {
		return nil, err
	}
	if !by.Scope.Contains(chain.Path()) {
		return nil, org.ErrEntityNotFound
	}
	self := chain.Self()
	q.Entity, q.path = Entity{ID: self.ID, Name: self.Name, Code: self.Code, Type: self.Type}, self.Path
	if q.Currency, err = s.ledger.AnyCurrency(ctx, f.Currency); err != nil {
		return nil, err
	}
	if f.CategoryID != uuid.Nil {
		if _, err := s.catalog.Category(ctx, f.CategoryID); err != nil {
			return nil, err
		}
	}
	if f.GameID != uuid.Nil {
		if _, err := s.catalog.Game(ctx, f.GameID); err != nil {
			return nil, err
		}
	}
	if q.AsOf, err = s.totals.AsOf(ctx); err != nil {
		return nil, err
	}
	q.query = rollup.Query{EntityID: entity, CurrencyID: q.Currency.ID, From: q.From, To: q.To, CategoryID: f.CategoryID, GameID: f.GameID}
	return q, nil
}

// period completes and checks the days of a filter.
func (s *Service) period(from, to businessday.Day) (first, last businessday.Day, err error) {
	switch {
	case from.IsZero() && to.IsZero():
		from = businessday.Of(s.clock.Now(), s.zone)
		to = from
	case from.IsZero():
		from = to
	case to.IsZero():
		to = from
	}
	switch {
	case to.Before(from):
		return from, to, ErrPeriodReversed
	case from.DaysUntil(to) >= maxDays:
		return from, to, ErrPeriodTooLong
	}
	return from, to, nil
}
