package prizes

import (
	"context"

	"banca/internal/platform/verification"
)

// Verify proves in one snapshot that tickets, payments, differences and books agree; it changes nothing.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	return verification.Run(ctx, s.PG, verifications())
}

func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "a ticket is paid exactly when it has one payment that stands", Query: `SELECT count(*) FROM (
			SELECT ticket_id, count(*) AS n FROM paid_prizes WHERE cancelled_at IS NULL AND ticket_id >= (SELECT archived_before()) GROUP BY ticket_id) p
			FULL JOIN (SELECT id FROM tickets WHERE status = 'paid' AND id >= (SELECT archived_before())) t ON t.id = p.ticket_id WHERE t.id IS NULL OR p.n IS DISTINCT FROM 1`},
		{Name: "every payment is of its ticket's entity, wallet and currency", Query: `SELECT count(*) FROM paid_prizes p LEFT JOIN tickets t ON t.id = p.ticket_id
			AND t.entity_id = p.entity_id AND t.wallet_id = p.wallet_id AND t.currency_id = p.currency_id WHERE t.id IS NULL AND p.ticket_id >= (SELECT archived_before())`},
		{Name: "every payment is booked for its amount", Query: `SELECT count(*) FROM paid_prizes p LEFT JOIN transactions x ON x.id = p.transaction_id
			AND x.type = 'prize' AND x.amount = p.amount AND x.ticket_id = p.ticket_id AND x.currency_id = p.currency_id AND x.reverses_id IS NULL
			LEFT JOIN wallet_postings o ON o.transaction_id = x.id AND o.wallet_id = p.wallet_id AND o.amount = p.amount WHERE p.transaction_id >= (SELECT archived_before()) AND (x.id IS NULL OR o.transaction_id IS NULL)`},
		{Name: "a payment's booking is reversed exactly when it was taken back", Query: `SELECT count(*) FROM paid_prizes p
			LEFT JOIN transactions r ON r.reverses_id = p.transaction_id WHERE p.transaction_id >= (SELECT archived_before()) AND r.id IS DISTINCT FROM p.cancel_transaction_id`},
		{Name: "every booking of a prize has its payment", Query: `SELECT count(*) FROM transactions x LEFT JOIN paid_prizes p
			ON p.transaction_id = x.id OR p.cancel_transaction_id = x.id WHERE x.type = 'prize' AND p.id IS NULL`},
		{Name: "a difference is open exactly where a payment is not what is due", Query: `SELECT count(*) FROM paid_prizes p JOIN tickets t ON t.id = p.ticket_id
			WHERE p.cancelled_at IS NULL AND (p.amount <> t.prize) <> EXISTS (SELECT 1 FROM prize_differences x WHERE x.paid_prize_id = p.id
				AND x.status IN ('open', 'written_off') AND x.paid = p.amount AND x.due = t.prize)`},
		{Name: "every open difference is of a payment that stands", Query: `SELECT count(*) FROM prize_differences x
			LEFT JOIN paid_prizes p ON p.id = x.paid_prize_id AND p.cancelled_at IS NULL AND p.amount = x.paid
			LEFT JOIN tickets t ON t.id = x.ticket_id AND t.prize = x.due WHERE x.status = 'open' AND x.paid > 0 AND (p.id IS NULL OR t.id IS NULL)`},
		{Name: "every open difference without a payment is of a ticket that won and is not paid", Query: `SELECT count(*) FROM prize_differences x
			LEFT JOIN tickets t ON t.id = x.ticket_id AND t.status = 'won' AND t.prize = x.due WHERE x.status = 'open' AND x.paid = 0 AND t.id IS NULL`},
	}
}
