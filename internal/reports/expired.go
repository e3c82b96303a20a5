package reports

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/storage"
)

// ExpiredPrize is a prize that was not collected in time.
type ExpiredPrize struct {
	TicketID    uuid.UUID
	Serial      string
	TicketPoint Entity
	Prize       money.Amount
	SoldAt      time.Time
	ExpiredAt   time.Time
}

// ExpiredPrizes is a page of the prizes that expired in a period, with the number and the sum of all of them.
type ExpiredPrizes struct {
	Head
	Tickets int64
	Prizes  money.Amount
	Rows    []ExpiredPrize
}

const fromExpired = ` FROM tickets t JOIN entities e ON e.id = t.entity_id`

// ExpiredPrizes returns the prizes that expired in a period, the last one first. A prize that a correction has
// annulled is not among them, and neither is one whose difference is open. The games of the filter are ignored.
// Errors: see ask.
func (s *Service) ExpiredPrizes(
	ctx context.Context, by caller.Caller, f *Filter, limit, offset int,
) (*ExpiredPrizes, error) {
	report, list, err := s.expiredPrizes(ctx, by, f)
	if err != nil {
		return nil, err
	}
	report.Rows, err = storage.Collect(ctx, s.pg.Pool, "list expired prizes", scanExpired,
		list.sql+` LIMIT `+list.where.Arg(limit)+` OFFSET `+list.where.Arg(offset), list.where.Args()...)
	if err != nil {
		return nil, err
	}
	return report, nil
}

// AllExpiredPrizes is ExpiredPrizes with all rows, which are read one by one. Errors: see ask.
func (s *Service) AllExpiredPrizes(
	ctx context.Context, by caller.Caller, f *Filter,
) (*ExpiredPrizes, iter.Seq2[ExpiredPrize, error], error) {
	report, list, err := s.expiredPrizes(ctx, by, f)
	if err != nil {
		return nil, nil, err
	}
	return report, storage.Stream(ctx, s.pg, list.sql, list.where.Args(), scanExpired), nil
}

// statement is the statement of a list without its page.
type statement struct {
	sql   string
	where *storage.Where
}

// expiredPrizes returns the report without rows, and the statement that lists them.
func (s *Service) expiredPrizes(ctx context.Context, by caller.Caller, f *Filter) (*ExpiredPrizes, *statement, error) {
	one := *f
	one.CategoryID, one.GameID = uuid.Nil, uuid.Nil
	q, err := s.ask(ctx, by, &one)
	if err != nil {
		return nil, nil, err
	}
	w := &storage.Where{}
	first, _ := q.From.Bounds(s.zone)
	_, end := q.To.Bounds(s.zone)
	if err := months.RequireKept(ctx, s.pg.Pool, first.AddDate(0, -1, 0), end); err != nil { // the tickets were sold days before
		return nil, nil, err
	}
	w.And(`t.expired_at >= ` + w.Arg(first) + ` AND t.expired_at < ` + w.Arg(end))
	w.And(`t.status = 'won' AND t.currency_id = ` + w.Arg(q.Currency.ID))
	w.And(soldBelow(w, q.path))
	w.And(`NOT EXISTS (SELECT 1 FROM prize_differences x WHERE x.ticket_id = t.id AND x.status = 'open')`)
	report := &ExpiredPrizes{Head: q.Head}
	report.AsOf = s.clock.Now()
	sums := `SELECT count(*), coalesce(sum(t.prize), 0)::bigint` + fromExpired + w.SQL()
	if err := s.pg.Pool.QueryRow(ctx, sums, w.Args()...).Scan(&report.Tickets, &report.Prizes); err != nil {
		return nil, nil, fmt.Errorf("sum expired prizes: %w", err)
	}
	return report, &statement{where: w, sql: `SELECT t.id, t.serial_code, e.id, e.name, e.code, e.entity_type, t.prize, t.created_at, t.expired_at` + fromExpired + w.SQL() +
		` ORDER BY t.expired_at DESC, t.id DESC`}, nil
}

func scanExpired(row pgx.CollectableRow) (p ExpiredPrize, err error) {
	e := &p.TicketPoint
	err = row.Scan(&p.TicketID, &p.Serial, &e.ID, &e.Name, &e.Code, &e.Type, &p.Prize, &p.SoldAt, &p.ExpiredAt)
	p.SoldAt, p.ExpiredAt = p.SoldAt.UTC(), p.ExpiredAt.UTC()
	return p, err
}

// soldBelow returns the condition that a ticket t of the entity e was sold at or below the place with a path, as
// totals count it.
func soldBelow(w *storage.Where, path string) string {
	return `coalesce(t.path_id, e.path_id) IN (SELECT id FROM entity_paths WHERE starts_with(path, ` + w.Arg(path) + `))`
}
