package closes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Filter selects closes; zero fields select all.
type Filter struct {
	EntityID uuid.UUID
	Currency string // id or code
	Status   string
	From, To businessday.Day
	// Different selects the closes whose counted cash is not the expected one. No index has it, so a caller bounds the days.
	Different bool
	Limit     int
	Offset    int
}

// maxRange bounds the days of a filter.
const maxRange = 366

// List returns a page of the closes in the caller's scope, the newest day first and each day by the entity's name, and the
// number of all. The totals of open days are current. Errors: ErrRange, ledger.ErrCurrencyNotFound.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Close, int64, error) {
	if !f.From.IsZero() && !f.To.IsZero() && (f.To.Before(f.From) || f.From.DaysUntil(f.To) > maxRange) {
		return nil, 0, ErrRange
	}
	l, err := s.listing(ctx, by)
	if err != nil {
		return nil, 0, err
	}
	if f.EntityID != uuid.Nil {
		l.Where.And(`c.entity_id = ` + l.Where.Arg(f.EntityID))
	}
	if f.Currency != "" {
		currency, err := s.Ledger.AnyCurrency(ctx, f.Currency)
		if err != nil {
			return nil, 0, err
		}
		l.Where.And(`c.currency_id = ` + l.Where.Arg(currency.ID))
	}
	if f.Status != "" {
		l.Where.And(`c.status = ` + l.Where.Arg(f.Status))
	}
	if !f.From.IsZero() {
		l.Where.And(`c.day >= ` + l.Where.Arg(f.From))
	}
	if !f.To.IsZero() {
		l.Where.And(`c.day <= ` + l.Where.Arg(f.To))
	}
	if f.Different {
		l.Where.And(`c.counted_cash <> ` + expected)
	}
	list, total, err := storage.List(ctx, s.PG.Pool, l, scan, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list closes: %w", err)
	}
	if err := s.complement(ctx, list); err != nil {
		return nil, 0, err
	}
	return list, total, s.withhold(ctx, by, list)
}

func (s *Service) listing(ctx context.Context, by caller.Caller) (*storage.Listing, error) {
	within, err := s.Org.Within(ctx, by)
	if err != nil {
		return nil, err
	}
	w := &storage.Where{}
	w.And(within.SQL("c.entity_id", "e.path", w.Arg(within.Value())))
	return &storage.Listing{Columns: columns, From: from, Where: w, Order: `c.day DESC, e.name, c.id DESC`}, nil
}

// complement adds the currencies, and the totals of open days.
func (s *Service) complement(ctx context.Context, list []Close) error {
	if err := s.inCurrency(ctx, list); err != nil {
		return err
	}
	return s.current(ctx, s.PG.Pool, list)
}

// current sets the totals of the open days of ticket points among closes from the events up to now. Errors:
// ErrOtherCluster.
func (s *Service) current(ctx context.Context, db storage.Querier, list []Close) error {
	var ids storage.UUIDs
	var begins, ends []time.Time
	open := map[uuid.UUID]*Close{}
	for i := range list {
		if list[i].Status == Open && !list[i].Above() {
			open[list[i].ID] = &list[i]
			from, to := list[i].Day.Bounds(s.Zone)
			ids, begins, ends = append(ids, list[i].ID), append(begins, from), append(ends, to)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var id uuid.UUID
	var previous uuid.NullUUID
	var foreign bool
	var t Totals
	var means []Means
	return storage.Each(ctx, db, "events of open days", append(t.into(), &means, &id, &previous, &foreign), func() error {
		if foreign {
			return ErrOtherCluster
		}
		open[id].Totals, open[id].Means, open[id].PreviousID = t, slices.Clone(means), previous.UUID
		return s.nameMeans(ctx, open[id].Means)
	}, openSums(), ids, begins, ends)
}

// Get returns a close in the caller's scope; the totals of an open day are current, and left out where the caller
// counts blindly. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Close, error) {
	c, err := s.stored(ctx, by, id)
	if err != nil {
		return nil, err
	}
	list := []Close{*c}
	if err := s.current(ctx, s.PG.Pool, list); err != nil {
		return nil, err
	}
	return &list[0], s.withhold(ctx, by, list)
}

// Closed returns a closed close for a task. Errors: ErrNotFound.
func (s *Service) Closed(ctx context.Context, id uuid.UUID) (*Close, error) {
	return s.one(ctx, s.PG.Pool, ` WHERE c.id = $1 AND c.status = 'closed'`, id)
}

// one returns a stored close with its currency. Errors: ErrNotFound.
func (s *Service) one(ctx context.Context, q storage.Querier, where string, args ...any) (*Close, error) {
	list, err := storage.Collect(ctx, q, "read close", scan, `SELECT `+columns+` `+from+where, args...)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNotFound
	}
	return &list[0], s.inCurrency(ctx, list)
}

// rowTx returns a close as Get does, in any scope and in the caller's transaction.
func (s *Service) rowTx(ctx context.Context, tx pgx.Tx, id uuid.UUID) (*Close, error) {
	c, err := s.one(ctx, tx, ` WHERE c.id = $1`, id)
	if err != nil {
		return nil, err
	}
	list := []Close{*c}
	return &list[0], s.current(ctx, tx, list)
}

// stored returns a close as it is stored, with its currency. Errors: ErrNotFound.
func (s *Service) stored(ctx context.Context, by caller.Caller, id uuid.UUID) (*Close, error) {
	l, err := s.listing(ctx, by)
	if err != nil {
		return nil, err
	}
	l.Where.And(`c.id = ` + l.Where.Arg(id))
	return s.one(ctx, s.PG.Pool, l.Where.SQL(), l.Where.Args()...)
}

// Parts returns the closes that the close of an entity above ticket points sums, by entity. Errors: ErrNotFound.
func (s *Service) Parts(ctx context.Context, by caller.Caller, id uuid.UUID) ([]Close, error) {
	if _, err := s.stored(ctx, by, id); err != nil {
		return nil, err
	}
	list, err := storage.Collect(ctx, s.PG.Pool, "parts of a close", scan,
		`SELECT `+columns+` FROM daily_close_parts p JOIN daily_closes c ON c.id = p.part_id JOIN entities e ON e.id = c.entity_id
		WHERE p.close_id = $1 ORDER BY e.name, c.day, c.id`, id)
	if err != nil {
		return nil, err
	}
	return list, s.inCurrency(ctx, list)
}
