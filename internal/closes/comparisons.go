package closes

// comparison is a statement that finds differences of a day ($4, from $2 until before $3) below a path pattern ($1). Its rows are
// entity, currency, expected amount, found amount, and the ids of up to two rows of tables.
type comparison struct {
	check  string
	tables [2]string
	query  string
}

func comparisons() []comparison {
	return []comparison{
		{CheckTickets, [2]string{"tickets", "transactions"}, `SELECT t.entity_id, t.currency_id, t.total, coalesce(x.amount, 0), t.id, x.id
			FROM tickets t JOIN entities e ON e.id = t.entity_id LEFT JOIN transactions x ON x.id = t.id AND x.type = 'sale' AND x.ticket_id = t.id
				AND x.entity_id = t.entity_id AND x.currency_id = t.currency_id
			WHERE t.created_at >= $2 AND t.created_at < $3 AND $4::date IS NOT NULL AND e.path LIKE $1 AND x.amount IS DISTINCT FROM t.total ORDER BY t.id`},
		{CheckTickets, [2]string{"tickets", "transactions"}, `SELECT t.entity_id, t.currency_id, -t.total, coalesce(r.amount, 0), t.id, r.id
			FROM tickets t JOIN entities e ON e.id = t.entity_id
				LEFT JOIN transaction_reversals v ON v.reverses_id = t.id LEFT JOIN transactions r ON r.id = v.transaction_id
			WHERE t.cancelled_at >= $2 AND t.cancelled_at < $3 AND $4::date IS NOT NULL AND e.path LIKE $1 AND t.refunds = 0 AND r.amount IS DISTINCT FROM -t.total ORDER BY t.id`},
		{CheckBookings, [2]string{"transactions", "tickets"}, `SELECT t.entity_id, t.currency_id, -x.amount, coalesce(p.amount, 0), x.id, t.id
			FROM tickets t JOIN entities e ON e.id = t.entity_id JOIN transactions x ON x.id = t.id LEFT JOIN wallet_postings p ON p.transaction_id = x.id AND p.wallet_id = t.wallet_id
			WHERE t.created_at >= $2 AND t.created_at < $3 AND $4::date IS NOT NULL AND e.path LIKE $1 AND p.amount IS DISTINCT FROM -x.amount ORDER BY t.id`},
		{CheckBookings, [2]string{"transactions"}, `SELECT x.entity_id, x.currency_id, 0::bigint, p.amount::bigint, x.id, NULL::uuid
			FROM (SELECT transaction_id, sum(amount) AS amount FROM wallet_postings WHERE created_at >= $2 AND created_at < $3 GROUP BY transaction_id HAVING sum(amount) <> 0) p
			CROSS JOIN LATERAL (SELECT * FROM transactions t WHERE t.id = p.transaction_id OFFSET 0) x -- of the few that differ, one by one
			JOIN entities e ON e.id = x.entity_id WHERE e.path LIKE $1 AND $4::date IS NOT NULL ORDER BY x.id`},
		{CheckPrizes, [2]string{"paid_prizes", "transactions"}, `SELECT p.entity_id, p.currency_id, p.amount, coalesce(x.amount, 0), p.id, x.id
			FROM paid_prizes p JOIN entities e ON e.id = p.entity_id LEFT JOIN transactions x ON x.id = p.transaction_id AND x.type = 'prize' AND x.ticket_id = p.ticket_id
			WHERE p.paid_at >= $2 AND p.paid_at < $3 AND $4::date IS NOT NULL AND e.path LIKE $1 AND x.amount IS DISTINCT FROM p.amount ORDER BY p.id`},
		{CheckPrizes, [2]string{"paid_prizes", "transactions"}, `SELECT p.entity_id, p.currency_id, -p.amount, coalesce(x.amount, 0), p.id, x.id
			FROM paid_prizes p JOIN entities e ON e.id = p.entity_id LEFT JOIN transactions x ON x.id = p.cancel_transaction_id AND x.reverses_id = p.transaction_id
			WHERE p.cancelled_at >= $2 AND p.cancelled_at < $3 AND $4::date IS NOT NULL AND e.path LIKE $1 AND x.amount IS DISTINCT FROM -p.amount ORDER BY p.id`},
		{CheckPrizes, [2]string{"transactions"}, `SELECT x.entity_id, x.currency_id, 0::bigint, x.amount, x.id, NULL::uuid
			FROM entities e JOIN transactions x ON x.entity_id = e.id AND x.type NOT IN ('sale', 'commission') AND x.type = 'prize' AND x.created_at >= $2 AND x.created_at < $3
			LEFT JOIN paid_prizes p ON p.transaction_id = x.id LEFT JOIN paid_prizes c ON c.cancel_transaction_id = x.id
			WHERE e.path LIKE $1 AND $4::date IS NOT NULL AND p.id IS NULL AND c.id IS NULL ORDER BY x.id`},
		{CheckPayments, [2]string{"bank_payments", "transactions"}, `SELECT p.entity_id, p.currency_id, p.amount, coalesce(x.amount, 0), p.id, x.id
			FROM bank_payments p JOIN entities e ON e.id = p.entity_id LEFT JOIN transactions x ON x.id = p.transaction_id AND x.type = 'deposit' AND x.currency_id = p.currency_id
			LEFT JOIN wallet_postings o ON o.transaction_id = x.id AND o.wallet_id = p.wallet_id
			WHERE p.local_date = $4 AND $2::timestamptz < $3::timestamptz AND p.state IN ('credited', 'assigned', 'suspense') AND e.path LIKE $1
				AND (x.amount IS DISTINCT FROM p.amount OR o.amount IS DISTINCT FROM p.amount) ORDER BY p.id`},
	}
}
