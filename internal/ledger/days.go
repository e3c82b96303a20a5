package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/internal/platform/feed"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/storage"
)

// daysFeed is the name of the reader that keeps wallet_days.
const daysFeed = "wallet_days"

// CountDays adds the postings that were committed since the last call to wallet_days. It is the task ledger.days.
func (s *Service) CountDays(ctx context.Context) error { return s.days().Advance(ctx, s.pg) }

// RebuildDays counts all postings again.
func (s *Service) RebuildDays(ctx context.Context) error { return s.days().Rebuild(ctx, s.pg) }

func (s *Service) days() *feed.Reader {
	return &feed.Reader{
		Name: daysFeed, Zone: s.options.Zone,
		Read: func(ctx context.Context, tx pgx.Tx, w feed.Window) error {
			_, err := tx.Exec(ctx, countDays, w.From, w.Before, s.options.Zone.String())
			return err
		},
		Reset: func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `DELETE FROM wallet_days`)
			return err
		},
	}
}

const countDays = `INSERT INTO wallet_days AS d (wallet_id, day, type, direct, amount, postings)
	SELECT p.wallet_id, (t.created_at AT TIME ZONE $3)::date, t.type, p.direct, sum(p.amount), count(*)
	FROM transactions t JOIN postings p ON p.transaction_id = t.id
	WHERE t.xid >= $1 AND t.xid < $2
	GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
	ON CONFLICT (wallet_id, day, type, direct) DO UPDATE SET amount = d.amount + excluded.amount, postings = d.postings + excluded.postings`

// balanceAt sums what was posted before the day of the instant, and on that day up to it. A transaction counts from its own time
// on, also if it was committed some moments later. tx sees one snapshot. Errors: months.ErrPeriodArchived.
func (s *Service) balanceAt(ctx context.Context, tx pgx.Tx, wallet uuid.UUID, at time.Time) (money.Amount, error) {
	counted, err := feed.PositionOf(ctx, tx, daysFeed)
	if err != nil {
		return 0, err
	}
	day := businessday.Of(at, s.options.Zone)
	from, end := day.Bounds(s.options.Zone)
	if err := months.RequireKept(ctx, tx, from, end); err != nil {
		return 0, err
	}
	balance, err := s.balanceBefore(ctx, tx, wallet, day, counted)
	if err != nil {
		return 0, err
	}
	var today money.Amount
	err = tx.QueryRow(ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM postings WHERE wallet_id = $1 AND direct AND created_at >= $2 AND created_at <= $3)
		+ (SELECT coalesce(sum(amount), 0) FROM postings WHERE wallet_id = $1 AND NOT direct AND created_at >= $2 AND created_at <= $3)`,
		wallet, from, at).Scan(&today)
	if err != nil {
		return 0, fmt.Errorf("balance of %s at %s: %w", wallet, at, err)
	}
	return balance + today, nil
}

// setBalancesAt sets the balances of wallets to those of an instant, as balanceAt does for one. tx sees one snapshot.
func (s *Service) setBalancesAt(ctx context.Context, tx pgx.Tx, wallets []Wallet, at time.Time) error {
	counted, err := feed.PositionOf(ctx, tx, daysFeed)
	if err != nil {
		return err
	}
	ids := make(storage.UUIDs, len(wallets))
	for i := range wallets {
		ids[i] = wallets[i].ID
	}
	day := businessday.Of(at, s.options.Zone)
	from, end := day.Bounds(s.options.Zone)
	if err := months.RequireKept(ctx, tx, from, end); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT wallet_id, sum(amount)::bigint FROM (
			SELECT wallet_id, amount FROM wallet_days WHERE wallet_id = ANY ($1::uuid[]) AND day < $2
			UNION ALL
			SELECT p.wallet_id, p.amount FROM transactions t JOIN postings p ON p.transaction_id = t.id
				WHERE t.xid >= $5 AND t.created_at < $3 AND p.wallet_id = ANY ($1::uuid[])
			UNION ALL
			SELECT wallet_id, amount FROM postings WHERE wallet_id = ANY ($1::uuid[]) AND direct AND created_at >= $3 AND created_at <= $4
			UNION ALL
			SELECT wallet_id, amount FROM postings WHERE wallet_id = ANY ($1::uuid[]) AND NOT direct AND created_at >= $3 AND created_at <= $4
		) posted GROUP BY wallet_id`, ids, day, from, at, counted.Xid)
	if err != nil {
		return fmt.Errorf("balances at %s: %w", at, err)
	}
	balances := make(map[uuid.UUID]money.Amount, len(wallets))
	var id uuid.UUID
	var amount money.Amount
	_, err = pgx.ForEachRow(rows, []any{&id, &amount}, func() error {
		balances[id] = amount
		return nil
	})
	if err != nil {
		return fmt.Errorf("balances at %s: %w", at, err)
	}
	for i := range wallets {
		wallets[i].Balance = balances[wallets[i].ID]
	}
	return nil
}

// balanceBefore sums the days before a day, and the postings of these days that wallet_days lacks. tx sees one snapshot.
func (s *Service) balanceBefore(ctx context.Context, tx pgx.Tx, wallet uuid.UUID, day businessday.Day, counted feed.Position) (balance money.Amount, err error) {
	from, _ := day.Bounds(s.options.Zone)
	err = tx.QueryRow(ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM wallet_days WHERE wallet_id = $1 AND day < $2)
		+ (SELECT coalesce(sum(p.amount), 0) FROM transactions t JOIN postings p ON p.transaction_id = t.id
			WHERE t.xid >= $4 AND t.created_at < $3 AND p.wallet_id = $1)`,
		wallet, day, from, counted.Xid).Scan(&balance)
	if err != nil {
		return 0, fmt.Errorf("balance of %s before %s: %w", wallet, day, err)
	}
	return balance, nil
}
