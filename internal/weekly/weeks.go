package weekly

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/storage"
)

// maxListedWeeks bounds the weeks that Weeks returns.
const maxListedWeeks = 60

// Weeks returns the Mondays of the newest weeks that were drafted in a currency, the newest first. Errors:
// ledger.ErrCurrencyNotFound.
func (s *Service) Weeks(ctx context.Context, currency string) ([]businessday.Day, error) {
	c, err := s.Ledger.AnyCurrency(ctx, currency)
	if err != nil {
		return nil, err
	}
	return storage.Collect(ctx, s.PG.Pool, "drafted weeks", pgx.RowTo[businessday.Day],
		`SELECT week FROM weekly_drafts WHERE currency_id = $1 ORDER BY week DESC LIMIT $2`, c.ID, maxListedWeeks)
}

// Sums are sums over settlements of one currency. A settlement contains the settlements below it, so only the sum over
// unrelated entities is meaningful.
type Sums struct {
	Settlements, Drafts int64

	Sales, Prizes, Commissions, Participation, Payments money.Amount

	Due      money.Amount
	Previous money.Amount
	Balance  money.Amount
	Owed     money.Amount // left to pay by entities
	Owing    money.Amount // left to pay to entities

	OwnShares money.Amount // of the drafts, which their confirmation books
}

// BeforePayments is the sum of Figures.BeforePayments.
func (s *Sums) BeforePayments() money.Amount { return s.Due + s.Payments }

// SumsOf returns the sums of settlements, all of which are drafts or provisional.
func SumsOf(list []Settlement) *Sums {
	sum := &Sums{Settlements: int64(len(list))}
	for i := range list {
		s := &list[i]
		sum.Sales, sum.Prizes, sum.Commissions = sum.Sales+s.Sales, sum.Prizes+s.Prizes, sum.Commissions+s.Commissions
		sum.Participation, sum.Payments, sum.Due, sum.Balance = sum.Participation+s.Participation, sum.Payments+s.Payments, sum.Due+s.Due, sum.Balance+s.Balance()
		sum.Previous, sum.Owed, sum.Owing = sum.Previous+s.Previous, sum.Owed+max(s.Outstanding(), 0), sum.Owing+max(-s.Outstanding(), 0)
	}
	return sum
}

// Sums returns the sums over the settlements of a filter in the caller's scope. Limit and Offset are ignored. Errors:
// errors of List.
func (s *Service) Sums(ctx context.Context, by caller.Caller, f *Filter) (*Sums, error) {
	l, err := s.listing(ctx, by)
	if err != nil {
		return nil, err
	}
	if err := s.filter(ctx, l.Where, f); err != nil {
		return nil, err
	}
	sum := &Sums{}
	err = s.PG.Pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE s.confirmed_at IS NULL), coalesce(sum(s.sales), 0)::bigint, coalesce(sum(s.prizes), 0)::bigint,
		coalesce(sum(s.commissions), 0)::bigint, coalesce(sum(s.participation), 0)::bigint, coalesce(sum(s.payments), 0)::bigint, coalesce(sum(s.due), 0)::bigint, coalesce(sum(s.previous), 0)::bigint, coalesce(sum(s.previous + s.moved + s.due), 0)::bigint,
		coalesce(sum(greatest(s.previous + s.moved + s.due - x.paid, 0)), 0)::bigint, coalesce(-sum(least(s.previous + s.moved + s.due - x.paid, 0)), 0)::bigint,
		coalesce(sum(s.own_share) FILTER (WHERE s.confirmed_at IS NULL), 0)::bigint `+l.From+l.Where.SQL(), l.Where.Args()...).Scan(&sum.Settlements, &sum.Drafts, &sum.Sales,
		&sum.Prizes, &sum.Commissions, &sum.Participation, &sum.Payments, &sum.Due, &sum.Previous, &sum.Balance, &sum.Owed, &sum.Owing, &sum.OwnShares)
	if err != nil {
		return nil, fmt.Errorf("sums of settlements: %w", err)
	}
	return sum, nil
}
