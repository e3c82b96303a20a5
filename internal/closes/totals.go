package closes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// longest bounds how long before its commit a transaction can be dated: the timeouts of transactions are minutes. An
// event that a close did not see although it was dated before is searched for from longest before the close on.
// [Service.Verify] would find one that is older.
const longest = time.Hour

// last is the newest close of a wallet; the zero one if it has none.
type last struct {
	ID       uuid.UUID
	Day      businessday.Day
	Seen     string // pg_snapshot
	EndsAt   time.Time
	ClosedAt time.Time
}

// lastOf returns the newest close of a wallet before a day, or its newest one for the zero day.
func lastOf(ctx context.Context, db storage.RowQuerier, wallet uuid.UUID, before businessday.Day) (l last, err error) {
	err = db.QueryRow(ctx, `SELECT id, day, seen::text, ends_at, closed_at FROM daily_closes WHERE wallet_id = $1 AND status = 'closed'
		AND ($2::date IS NULL OR day < $2) ORDER BY day DESC LIMIT 1`, wallet, models.Optional(before)).Scan(&l.ID, &l.Day, &l.Seen, &l.EndsAt, &l.ClosedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return last{}, nil
	}
	if err != nil {
		return last{}, fmt.Errorf("newest close: %w", err)
	}
	return l, nil
}

// uncovered is the first instant from which a wallet may have events that no close covers; the zero time without a
// close.
func (l *last) uncovered() time.Time {
	if l.EndsAt.Before(l.ClosedAt) {
		return l.EndsAt
	}
	return l.ClosedAt
}

// window selects the events of a wallet ($1) that belong to the close of a day that ends at $2 and begins at $3: made
// before $2, and not covered by the close before, which saw the snapshot $4 (empty without one) and ended at $5. $6
// is the beginning of the search, $7 the snapshot that a past close saw (empty for now). The rows are the amounts of
// transactions on the wallet. Sales, their reversals and commissions are posted directly on a ticket point's wallet,
// so only its other transactions are read from both sides.
const window = `SELECT t.id, t.type, p.amount, t.reverses_id, t.ticket_id, t.created_at < $3 AS late,
		t.reverses_id IS NOT NULL AND EXISTS (SELECT 1 FROM draw_refunds d WHERE d.ticket_id = t.ticket_id AND d.transaction_id = t.reverses_id) AS refund
	FROM (
		SELECT transaction_id, amount FROM wallet_postings WHERE wallet_id = $1 AND direct AND created_at >= $6 AND created_at < $2
		UNION ALL
		SELECT p.transaction_id, p.amount FROM wallets w JOIN transactions m ON m.entity_id = w.entity_id AND m.type NOT IN ('sale', 'commission') AND m.created_at >= $6 AND m.created_at < $2
			JOIN wallet_postings p ON p.transaction_id = m.id AND p.wallet_id = w.id AND NOT p.direct WHERE w.id = $1
	) p JOIN transactions t ON t.id = p.transaction_id
	WHERE ($4 = '' OR t.created_at >= $5 OR NOT pg_visible_in_snapshot(t.xid::text::xid8, nullif($4, '')::pg_snapshot))
		AND ($7 = '' OR pg_visible_in_snapshot(t.xid::text::xid8, nullif($7, '')::pg_snapshot))`

// sums are the expressions of the columns of Totals over rows of window. A ticket's first booking has the id of the
// ticket; its other bookings are of what a refund left sold.
const sums = `coalesce(-sum(amount) FILTER (WHERE type = 'sale' AND reverses_id IS NULL AND id = ticket_id), 0)::bigint AS sales,
	coalesce(sum(amount) FILTER (WHERE type = 'sale' AND reverses_id IS NOT NULL AND NOT refund), 0)::bigint AS voids,
	coalesce(sum(amount) FILTER (WHERE type = 'sale' AND (refund OR reverses_id IS NULL AND id <> ticket_id)), 0)::bigint AS refunds,
	coalesce(sum(amount) FILTER (WHERE type = 'prize'), 0)::bigint AS prizes,
	coalesce(sum(amount) FILTER (WHERE type = 'commission' AND ticket_id IS NOT NULL), 0)::bigint AS commissions,
	coalesce(sum(amount) FILTER (WHERE type = 'commission' AND ticket_id IS NULL), 0)::bigint AS participations,
	coalesce(sum(amount) FILTER (WHERE type = 'deposit'), 0)::bigint AS deposits,
	coalesce(-sum(amount) FILTER (WHERE type = 'withdrawal'), 0)::bigint AS withdrawals,
	count(*) FILTER (WHERE type = 'sale' AND reverses_id IS NULL AND id = ticket_id) AS tickets,
	count(*) FILTER (WHERE type = 'sale' AND reverses_id IS NOT NULL AND NOT refund) AS voided,
	count(*) FILTER (WHERE type = 'sale' AND refund) AS refunded,
	count(*) FILTER (WHERE type = 'prize' AND reverses_id IS NULL) - count(*) FILTER (WHERE type = 'prize' AND reverses_id IS NOT NULL) AS paid,
	count(*) FILTER (WHERE late) AS late_events,
	coalesce(-sum(amount) FILTER (WHERE late AND type IN ('sale', 'prize', 'commission')), 0)::bigint AS late_net`

// openSums returns the statement that sums the events of the open days with the ids $1, which begin at $2 and end at
// $3, as read does for one.
func openSums() string {
	of := strings.NewReplacer("$1", "c.wallet_id", "$2", "b.ends", "$3", "b.begins", "$4", "coalesce(l.seen, '')",
		"$5", "l.ends_at", "$6", "coalesce(least(l.ends_at, l.closed_at) - INTERVAL '"+longest.String()+"', '-infinity')", "$7", "''")
	return `SELECT e.*, c.id, l.id, coalesce(pg_snapshot_xmax(l.seen::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()), false)
		FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS b (id, begins, ends) JOIN daily_closes c ON c.id = b.id
		LEFT JOIN LATERAL (SELECT p.id, p.seen::text, p.ends_at, p.closed_at FROM daily_closes p WHERE p.wallet_id = c.wallet_id AND p.status = 'closed' ORDER BY p.day DESC LIMIT 1) l ON true
		CROSS JOIN LATERAL (` + of.Replace(summed) + `) e`
}

// sight is what a close reads of its wallet in one snapshot.
type sight struct {
	Totals

	Means []Means
	Seen  string // pg_snapshot
}

// read sums the events of a wallet that belong to the close of a day after another close. It is one statement, so
// that the sums and the snapshot agree. Errors: ErrOtherCluster.
func (s *Service) read(
	ctx context.Context, db storage.RowQuerier, wallet uuid.UUID, day businessday.Day, after *last,
) (*sight, error) {
	from, to := day.Bounds(s.Zone)
	seen := &sight{}
	var foreign bool
	into := append(seen.into(), &seen.Means, &seen.Seen, &foreign)
	err := db.QueryRow(ctx, `SELECT s.*, pg_current_snapshot()::text,
			$4 <> '' AND pg_snapshot_xmax(nullif($4, '')::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
		FROM (`+summed+`) s`, wallet, to, from, after.Seen, after.EndsAt, after.search(), "").Scan(into...)
	if err != nil {
		return nil, fmt.Errorf("events of a wallet: %w", err)
	}
	if foreign {
		return nil, ErrOtherCluster
	}
	return seen, nil
}

// period names the events of a past close.
type period struct {
	wallet uuid.UUID
	day    businessday.Day
	after  *last
	seen   string // pg_snapshot of the close
}

// readAsOf sums the events of a past close again.
func (s *Service) readAsOf(ctx context.Context, db storage.RowQuerier, p *period) (*Totals, error) {
	from, to := p.day.Bounds(s.Zone)
	t := &Totals{}
	var means []Means
	err := db.QueryRow(ctx, summed, p.wallet, to, from, p.after.Seen, p.after.EndsAt, p.after.search(), p.seen).Scan(append(t.into(), &means)...)
	if err != nil {
		return nil, fmt.Errorf("events of a close: %w", err)
	}
	return t, nil
}

// search is the beginning of the search for events that the close does not cover.
func (l *last) search() time.Time {
	if l.ID == uuid.Nil {
		return time.Time{}
	}
	return l.uncovered().Add(-longest)
}

// firstUncovered returns the business day of the first event of a wallet that is dated after the days that its newest
// close covers; the zero day for none.
func (s *Service) firstUncovered(
	ctx context.Context, db storage.RowQuerier, wallet uuid.UUID, after *last,
) (businessday.Day, error) {
	var at time.Time
	err := db.QueryRow(ctx, `SELECT created_at FROM wallet_postings WHERE wallet_id = $1 AND direct AND created_at >= $2 ORDER BY created_at LIMIT 1`,
		wallet, after.EndsAt).Scan(&at)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return businessday.Day{}, nil
	case err != nil:
		return businessday.Day{}, fmt.Errorf("first event of a wallet: %w", err)
	}
	return businessday.Of(at, s.Zone), nil
}
