package weekly

import (
	"context"
	"fmt"
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/storage"
)

// Filter selects settlements; zero fields select all.
type Filter struct {
	EntityID uuid.UUID       // of the entity alone
	ParentID uuid.UUID       // of the entities that were directly below it
	Week     businessday.Day // Monday
	From, To businessday.Day // of the Monday
	Currency string          // id or code
	Status   string
	MostOwed bool // the one that owes most is the first
	Limit    int
	Offset   int
}

// maxRange bounds the days of a filter.
const maxRange = 366

// List returns a page of the settlements in the caller's scope, the newest week first and parents before their
// children, and the number of all. Errors: ErrRange, ErrStatusRange, ErrWeek, ledger.ErrCurrencyNotFound.
func (s *Service) List(ctx context.Context, by caller.Caller, f *Filter) ([]Settlement, int64, error) {
	l, err := s.listing(ctx, by)
	if err != nil {
		return nil, 0, err
	}
	if err := s.filter(ctx, l.Where, f); err != nil {
		return nil, 0, err
	}
	if f.Status == "" || f.Status == Draft {
		l.CountFrom = `FROM weekly_settlements s JOIN entities e ON e.id = s.entity_id`
	}
	if f.MostOwed {
		l.Order = `s.previous + s.moved + s.due - x.paid DESC, s.id`
	}
	list, total, err := storage.List(ctx, s.PG.Pool, l, scan, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list settlements: %w", err)
	}
	return list, total, s.inCurrency(ctx, list)
}

// All returns all settlements of a filter, which are read one by one in one snapshot, and their number. Errors:
// errors of List.
func (s *Service) All(
	ctx context.Context, by caller.Caller, f *Filter,
) (rows iter.Seq2[Settlement, error], total int64, err error) {
	l, err := s.listing(ctx, by)
	if err != nil {
		return nil, 0, err
	}
	if err := s.filter(ctx, l.Where, f); err != nil {
		return nil, 0, err
	}
	return storage.All(ctx, s.PG, l, func(row pgx.CollectableRow) (Settlement, error) {
		found, err := scan(row)
		if err != nil {
			return found, err
		}
		list := []Settlement{found}
		err = s.inCurrency(ctx, list)
		return list[0], err
	})
}

func (s *Service) filter(ctx context.Context, w *storage.Where, f *Filter) error {
	if !f.From.IsZero() && !f.To.IsZero() && (f.To.Before(f.From) || f.From.DaysUntil(f.To) > maxRange) {
		return ErrRange
	}
	if f.EntityID != uuid.Nil {
		w.And(`s.entity_id = ` + w.Arg(f.EntityID))
	}
	if f.ParentID != uuid.Nil {
		w.And(`s.parent_id = ` + w.Arg(f.ParentID))
	}
	if !f.Week.IsZero() {
		if Monday(f.Week) != f.Week {
			return ErrWeek
		}
		w.And(`s.week = ` + w.Arg(f.Week))
	}
	if !f.From.IsZero() {
		w.And(`s.week >= ` + w.Arg(f.From))
	}
	if !f.To.IsZero() {
		w.And(`s.week <= ` + w.Arg(f.To))
	}
	if f.Currency != "" {
		currency, err := s.Ledger.AnyCurrency(ctx, f.Currency)
		if err != nil {
			return err
		}
		w.And(`s.currency_id = ` + w.Arg(currency.ID))
	}
	return f.byStatus(w)
}

// maxStatusDays bounds the Mondays of a filter by a state that old weeks have.
const maxStatusDays = 62

// byStatus adds the condition on the state, with one that an index answers: few settlements are drafts, and something
// is left to pay, and not carried, in the newest week alone. Errors: ErrStatusRange.
func (f *Filter) byStatus(w *storage.Where) error {
	switch f.Status {
	case "":
		return nil
	case Draft:
		w.And(`s.confirmed_at IS NULL`)
		return nil
	case Confirmed:
		w.And(`(s.currency_id, s.week) IN (SELECT currency_id, max(week) FROM weekly_drafts GROUP BY currency_id)`)
	default:
		if f.Week.IsZero() && (f.From.IsZero() || f.To.IsZero() || f.From.DaysUntil(f.To) > maxStatusDays) {
			return ErrStatusRange
		}
	}
	w.And(status + ` = ` + w.Arg(f.Status))
	return nil
}

func (s *Service) listing(ctx context.Context, by caller.Caller) (*storage.Listing, error) {
	within, err := s.Org.Within(ctx, by)
	if err != nil {
		return nil, err
	}
	w := &storage.Where{}
	w.And(within.SQL("s.entity_id", "e.path", w.Arg(within.Value())))
	return &storage.Listing{Columns: columns, From: from, Where: w, Order: `s.week DESC, s.id`}, nil
}

// Get returns a settlement in the caller's scope. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Settlement, error) {
	l, err := s.listing(ctx, by)
	if err != nil {
		return nil, err
	}
	l.Where.And(`s.id = ` + l.Where.Arg(id))
	return s.one(ctx, l.Where.SQL(), l.Where.Args()...)
}

// one returns a settlement with its currency. Errors: ErrNotFound.
func (s *Service) one(ctx context.Context, where string, args ...any) (*Settlement, error) {
	list, err := storage.Collect(ctx, s.PG.Pool, "read settlement", scan, `SELECT `+columns+` `+from+where, args...)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNotFound
	}
	return &list[0], s.inCurrency(ctx, list)
}

// rowTx reads a settlement again in the transaction that changes it, so that its answer is known before the commit.
func (s *Service) rowTx(ctx context.Context, tx pgx.Tx, found *Settlement) (*Settlement, error) {
	now, err := storage.One(ctx, tx, "read settlement", pgx.ErrNoRows, scan, `SELECT `+columns+` `+from+` WHERE s.id = $1`, found.ID)
	if err != nil {
		return nil, err
	}
	now.Currency = found.Currency
	return now, nil
}

// Adjustments returns the earlier weeks that a settlement restates, in their order. The caller of the method may read
// the settlement.
func (s *Service) Adjustments(ctx context.Context, id uuid.UUID) ([]Adjustment, error) {
	return storage.Collect(ctx, s.PG.Pool, "adjustments of a settlement", pgx.RowToStructByPos[Adjustment],
		`SELECT a.restates_id, r.week, a.prizes, a.participation FROM weekly_adjustments a JOIN weekly_settlements r ON r.id = a.restates_id
		WHERE a.settlement_id = $1 ORDER BY r.week`, id)
}

// Confirmed returns a confirmed settlement for a task. Errors: ErrNotFound.
func (s *Service) Confirmed(ctx context.Context, id uuid.UUID) (*Settlement, error) {
	return s.one(ctx, ` WHERE s.id = $1 AND s.confirmed_at IS NOT NULL`, id)
}
