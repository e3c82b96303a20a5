package sales

import (
	"context"

	"banca/internal/customers"
	"banca/internal/platform/verification"
)

// Verify checks in one snapshot that tickets, lines and postings agree, that the rows exist which are referenced without
// a foreign key, and the invariants of customers. It changes nothing.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	all := verifications()
	for _, invariant := range customers.Invariants() {
		all = append(all, verification.Invariant(invariant))
	}
	return verification.Run(ctx, s.PG, all)
}

func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "every ticket's total is the sum of its lines", Query: `SELECT count(*) FROM tickets t LEFT JOIN (
			SELECT ticket_id, sum(amount) AS total, sum(potential_prize) AS prize FROM ticket_lines GROUP BY ticket_id) i ON i.ticket_id = t.id
			WHERE t.total IS DISTINCT FROM i.total OR t.potential_prize IS DISTINCT FROM i.prize`},
		{Name: "every line has its ticket, draw and game", Query: `SELECT count(*) FROM ticket_lines i LEFT JOIN tickets t ON t.id = i.ticket_id
			LEFT JOIN draws d ON d.id = i.draw_id AND d.game_id = i.game_id WHERE t.id IS NULL OR d.id IS NULL`},
		{Name: "every ticket has its entity, user, wallet and customer", Query: `SELECT count(*) FROM tickets t LEFT JOIN entities e ON e.id = t.entity_id
			LEFT JOIN users u ON u.id = t.user_id LEFT JOIN wallets w ON w.id = t.wallet_id AND w.entity_id = t.entity_id AND w.currency_id = t.currency_id
			LEFT JOIN customers c ON c.id = t.customer_id
			WHERE e.id IS NULL OR u.id IS NULL OR w.id IS NULL OR (t.customer_id IS NOT NULL AND c.id IS NULL)`},
		{Name: "every ticket was booked for its total, and again after each refund", Query: `SELECT count(*) FROM tickets t LEFT JOIN (
			SELECT ticket_id, count(*) AS n, max(amount) AS amount FROM transactions WHERE type = 'sale' AND reverses_id IS NULL GROUP BY ticket_id) s ON s.ticket_id = t.id
			WHERE t.id >= (SELECT archived_before()) AND (s.n IS DISTINCT FROM 1 + t.refunds - (t.refunds > 0 AND t.refunded = t.total)::int OR s.amount IS DISTINCT FROM t.total)`},
		{Name: "the bookings of a ticket sum to its total less its refunds, and to zero once it is cancelled", Query: `SELECT count(*) FROM tickets t JOIN (
			SELECT ticket_id, sum(amount) FILTER (WHERE type = 'sale') AS sold, sum(amount) FILTER (WHERE type = 'commission') AS commission
			FROM transactions WHERE type IN ('sale', 'commission') GROUP BY ticket_id) x ON x.ticket_id = t.id
			WHERE t.id >= (SELECT archived_before()) AND (x.sold <> CASE t.status WHEN 'cancelled' THEN 0 ELSE t.total - t.refunded END OR (t.status = 'cancelled' AND x.commission <> 0))`},
		{Name: "a ticket has one booking that is not reversed, and none once it is cancelled", Query: `SELECT count(*) FROM tickets t JOIN (
			SELECT x.ticket_id, count(*) FILTER (WHERE r.id IS NULL) AS live FROM transactions x LEFT JOIN transactions r ON r.reverses_id = x.id
			WHERE x.type = 'sale' AND x.reverses_id IS NULL GROUP BY x.ticket_id) b ON b.ticket_id = t.id WHERE b.live <> (t.status <> 'cancelled')::int AND t.id >= (SELECT archived_before())`},
		{Name: "a ticket counts and sums the refunds of draw_refunds", Query: `SELECT count(*) FROM tickets t LEFT JOIN (
			SELECT ticket_id, count(*) AS n, sum(amount) AS amount FROM draw_refunds GROUP BY ticket_id) r ON r.ticket_id = t.id
			WHERE t.refunds <> coalesce(r.n, 0) OR t.refunded <> coalesce(r.amount, 0)`},
		{Name: "every booking of a sale has its ticket", Query: `SELECT count(*) FROM transactions x LEFT JOIN tickets t ON t.id = x.ticket_id
			WHERE x.type = 'sale' AND t.id IS NULL AND (x.ticket_id IS NULL OR x.ticket_id >= (SELECT archived_before()))`},
		{Name: "the payments of a ticket less its change sum to its total", Query: `SELECT count(*) FROM (SELECT ticket_id, wallet_id, sum(value) AS value FROM ticket_payments GROUP BY ticket_id, wallet_id) p
			LEFT JOIN tickets t ON t.id = p.ticket_id WHERE p.ticket_id >= (SELECT archived_before()) AND (t.total, t.wallet_id) IS DISTINCT FROM (p.value, p.wallet_id)`},
		{Name: "the value of a payment in another currency follows from the rate of its sale", Query: `SELECT count(*) FROM (
			SELECT t.total, t.currency_id, sum(CASE WHEN p.rate IS NULL THEN p.amount ELSE p.amount * x.unit END) AS value, coalesce(max(x.unit), 0) AS unit, count(p.rate) AS others,
				bool_or(p.rate IS NULL AND (p.currency_id <> t.currency_id OR p.value <> p.amount)) AS unrated
			FROM ticket_payments p JOIN tickets t ON t.id = p.ticket_id JOIN currencies o ON o.id = p.currency_id JOIN currencies c ON c.id = t.currency_id
			CROSS JOIN LATERAL (SELECT CASE WHEN p.rate_base_id = p.currency_id THEN p.rate / 1e8 WHEN p.rate_base_id = t.currency_id THEN 1e8 / p.rate END
				* power(10::numeric, c.digits - o.digits) AS unit) x GROUP BY t.id, t.total, t.currency_id) s
			WHERE unrated OR abs(value - total) > unit / 2 + others + 1`},
		{Name: "no credit of the bank pays two tickets", Query: `SELECT count(*) FROM (SELECT 1 FROM ticket_payments
			WHERE bank_payment_id IS NOT NULL AND released_at IS NULL GROUP BY bank_payment_id HAVING count(*) > 1) bad`},
		{Name: "a mobile payment is a credit of its amount to its ticket point", Query: `SELECT count(*) FROM ticket_payments p JOIN tickets t ON t.id = p.ticket_id
			LEFT JOIN bank_payments b ON b.id = p.bank_payment_id WHERE p.bank_payment_id IS NOT NULL AND p.released_at IS NULL
				AND ((b.amount, b.currency_id) IS DISTINCT FROM (p.amount, p.currency_id)
					OR b.state = 'suspense' AND p.created_at < now() - interval '1 hour' -- neither bank.claim nor bank.expire could book it
					OR b.state <> 'suspense' AND (b.entity_id, b.state IN ('credited', 'assigned')) IS DISTINCT FROM (t.entity_id, true))`},
		{Name: "every idempotency key has its ticket", Query: `SELECT count(*) FROM idempotency_keys k LEFT JOIN tickets t ON t.id = k.ticket_id
			WHERE k.ticket_id >= (SELECT archived_before()) AND t.id IS NULL`},
	}
}
