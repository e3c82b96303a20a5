package closes

import (
	"context"

	"banca/internal/platform/verification"
)

// Verify checks in one snapshot that the closes of a wallet follow each other without a gap or an overlap, and sum to its postings. It
// changes nothing.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	return verification.Run(ctx, s.PG, verifications())
}

func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "every close of a wallet follows the one before it", Query: `SELECT count(*) FROM (
			SELECT previous_id, seen, ends_at, lag(id) OVER w AS before, lag(seen) OVER w AS seen_before, lag(ends_at) OVER w AS end_before
			FROM daily_closes WHERE status = 'closed' AND wallet_id IS NOT NULL WINDOW w AS (PARTITION BY wallet_id ORDER BY day)) c
			WHERE c.previous_id IS DISTINCT FROM c.before OR c.ends_at <= c.end_before OR pg_snapshot_xmin(c.seen) < pg_snapshot_xmin(c.seen_before)
				OR pg_snapshot_xmax(c.seen) < pg_snapshot_xmax(c.seen_before)`},
		{Name: "the closes of a wallet sum to what was posted on it, by type", Query: `SELECT count(*) FROM (
			SELECT DISTINCT ON (wallet_id) wallet_id, seen, ends_at, day FROM daily_closes WHERE status = 'closed' AND wallet_id IS NOT NULL ORDER BY wallet_id, day DESC) l
			JOIN (SELECT wallet_id, sum(sales) AS sales, sum(voids + refunds) AS undone, sum(prizes) AS prizes, sum(commissions + participations) AS commissions, sum(deposits) AS deposits,
				sum(withdrawals) AS withdrawals FROM daily_closes WHERE status = 'closed' GROUP BY wallet_id) c ON c.wallet_id = l.wallet_id
			LEFT JOIN (SELECT wallet_id, coalesce(-sum(amount) FILTER (WHERE type = 'sale'), 0) AS sales, coalesce(sum(amount) FILTER (WHERE type = 'prize'), 0) AS prizes,
				coalesce(sum(amount) FILTER (WHERE type = 'commission'), 0) AS commissions, coalesce(sum(amount) FILTER (WHERE type = 'deposit'), 0) AS deposits,
				coalesce(-sum(amount) FILTER (WHERE type = 'withdrawal'), 0) AS withdrawals
				FROM (SELECT p.wallet_id, t.type, p.amount FROM wallet_postings p JOIN transactions t ON t.id = p.transaction_id JOIN (SELECT DISTINCT ON (wallet_id) wallet_id, seen, ends_at
						FROM daily_closes WHERE status = 'closed' AND wallet_id IS NOT NULL ORDER BY wallet_id, day DESC) d ON d.wallet_id = p.wallet_id
					WHERE p.created_at < d.ends_at AND pg_visible_in_snapshot(t.xid::text::xid8, d.seen)
					UNION ALL SELECT wallet_id, type, amount FROM archived_sums) x GROUP BY wallet_id) e ON e.wallet_id = l.wallet_id
			WHERE l.day >= (SELECT archived_until()) AND (c.sales - c.undone, c.prizes, c.commissions, c.deposits, c.withdrawals)
				IS DISTINCT FROM (coalesce(e.sales, 0), coalesce(e.prizes, 0), coalesce(e.commissions, 0), coalesce(e.deposits, 0), coalesce(e.withdrawals, 0))`},
		{Name: "a close of an entity above ticket points is the sum of its parts", Query: `SELECT count(*) FROM daily_closes d
			LEFT JOIN LATERAL (SELECT ` + partSums + ` FROM daily_close_parts p JOIN daily_closes c ON c.id = p.part_id WHERE p.close_id = d.id) x ON true
			WHERE d.status = 'closed' AND d.wallet_id IS NULL AND (d.opening_cash, d.sales, d.voids, d.refunds, d.prizes, d.commissions, d.participations, d.deposits, d.withdrawals, d.tickets, d.voided,
				d.refunded, d.paid, d.late_events, d.late_net, d.not_cash, d.counted_cash) IS DISTINCT FROM (x.opening_cash, x.sales, x.voids, x.refunds, x.prizes, x.commissions, x.participations, x.deposits,
				x.withdrawals, x.tickets, x.voided, x.refunded, x.paid, x.late_events, x.late_net, x.not_cash, x.counted_cash)`},
		{Name: "every part of a close is closed, in its currency and of its day or an earlier one", Query: `SELECT count(*) FROM daily_close_parts p
			LEFT JOIN daily_closes c ON c.id = p.part_id LEFT JOIN daily_closes d ON d.id = p.close_id AND d.wallet_id IS NULL
			WHERE c.status IS DISTINCT FROM 'closed' OR d.status IS DISTINCT FROM 'closed' OR c.currency_id <> d.currency_id OR c.day > d.day`},
		{Name: "what a close took otherwise than in cash is the sum of its means", Query: `SELECT count(*) FROM daily_closes d WHERE d.not_cash <> (
			SELECT coalesce(sum((x->>'value')::bigint), 0) FROM jsonb_array_elements(d.means) x WHERE x->>'means' <> 'mobile')`},
		{Name: "counted cash is at least what its denominations sum to", Query: `SELECT count(*) FROM daily_closes d WHERE d.counts <> '[]' AND d.counted_cash < (
			SELECT sum((x->>'denomination')::bigint * (x->>'count')::bigint) FROM jsonb_array_elements(d.counts) x)`},
	}
}
