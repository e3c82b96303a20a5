package weekly

import (
	"context"

	"banca/internal/platform/verification"
)

// Verify checks in one snapshot that the settlements of an entity follow each other, that shares sum, and that the own shares are booked. It changes
// nothing.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	return verification.Run(ctx, s.PG, verifications())
}

func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "every weekly settlement begins with what the one before it left", Query: `SELECT count(*) FROM (
			SELECT previous_id, previous, lag(id) OVER w AS id_before, lag(previous + moved + due) OVER w AS balance_before FROM weekly_settlements
			WINDOW w AS (PARTITION BY entity_id, currency_id ORDER BY week)) s
			WHERE s.previous_id IS DISTINCT FROM s.id_before OR (s.id_before IS NOT NULL AND s.previous <> s.balance_before)`},
		{Name: "the own shares of a week sum to the shares of the entities directly below the operator", Query: `SELECT count(*) FROM (
			SELECT sum(s.own_share) AS own, sum(s.participation + coalesce(a.participation, 0)) FILTER (WHERE o.parent_id IS NULL) AS granted
			FROM weekly_settlements s JOIN entities o ON o.id = s.parent_id LEFT JOIN (
				SELECT settlement_id, sum(participation) AS participation FROM weekly_adjustments GROUP BY 1) a ON a.settlement_id = s.id
			GROUP BY s.week, s.currency_id) x WHERE x.own <> coalesce(x.granted, 0)`},
		{Name: "the adjustments of a weekly settlement are those of its rows", Query: `SELECT count(*) FROM weekly_settlements s LEFT JOIN (
			SELECT settlement_id, sum(-prizes - participation) AS due FROM weekly_adjustments GROUP BY 1) a ON a.settlement_id = s.id WHERE s.adjustments <> coalesce(a.due, 0)`},
		{Name: "a weekly settlement restates earlier weeks of its entity and currency", Query: `SELECT count(*) FROM weekly_adjustments a JOIN weekly_settlements s ON s.id = a.settlement_id
			JOIN weekly_settlements r ON r.id = a.restates_id WHERE r.week >= s.week OR r.entity_id <> s.entity_id OR r.currency_id <> s.currency_id`},
		{Name: "every confirmed own share is booked once, on the wallet of its entity", Query: `SELECT count(*) FROM weekly_settlements s LEFT JOIN transactions t ON t.id = s.transaction_id
			AND t.type = 'commission' AND t.ticket_id IS NULL AND t.amount = s.own_share AND t.entity_id = s.entity_id AND t.currency_id = s.currency_id
			LEFT JOIN wallets w ON w.entity_id = s.entity_id AND w.currency_id = s.currency_id AND w.kind = 'main'
			LEFT JOIN wallet_postings p ON p.transaction_id = t.id AND p.wallet_id = w.id
			WHERE s.confirmed_at IS NOT NULL AND s.own_share <> 0 AND p.amount IS DISTINCT FROM s.own_share AND (s.transaction_id IS NULL OR s.transaction_id >= (SELECT archived_before())) OR (s.own_share = 0 AND s.transaction_id IS NOT NULL)`},
		{Name: "every commission without a ticket is a confirmed own share", Query: `SELECT count(*) FROM transactions t LEFT JOIN weekly_settlements s ON s.transaction_id = t.id
			WHERE t.type = 'commission' AND t.ticket_id IS NULL AND s.id IS NULL`},
		{Name: "a payment of a weekly settlement is a movement of its currency, of a wallet in the entity's part of the tree", Query: `SELECT count(*) FROM weekly_payments p
			JOIN weekly_settlements s ON s.id = p.settlement_id LEFT JOIN payable_movements m ON m.transaction_id = p.transaction_id
			LEFT JOIN wallets w ON w.id = m.wallet_id WHERE m.transaction_id IS NULL OR w.currency_id <> s.currency_id OR p.entity_id <> s.entity_id OR s.confirmed_at IS NULL`},
	}
}
