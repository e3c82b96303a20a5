package ledger

import (
	"context"

	"banca/internal/platform/verification"
)

// posted has the sum of the postings of each wallet, in the tables and in the archive.
const posted = `(SELECT wallet_id, sum(amount) AS amount FROM (
				SELECT wallet_id, sum(amount) AS amount FROM postings GROUP BY wallet_id UNION ALL SELECT wallet_id, amount FROM archived_sums) x GROUP BY wallet_id)`

func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "every transaction's postings sum to zero", Query: `SELECT count(*) FROM (SELECT 1 FROM postings GROUP BY transaction_id HAVING sum(amount) <> 0) bad`},
		{Name: "every posting has its transaction", Query: `SELECT count(*) FROM postings p LEFT JOIN transactions t ON t.id = p.transaction_id WHERE t.id IS NULL`},
		{Name: "every transaction has postings", Query: `SELECT count(*) FROM transactions t WHERE NOT EXISTS (SELECT 1 FROM postings p WHERE p.transaction_id = t.id)`},
		{Name: "every posting is on a wallet of the transaction's currency", Query: `SELECT count(*) FROM postings p JOIN transactions t ON t.id = p.transaction_id
			LEFT JOIN wallets w ON w.id = p.wallet_id WHERE w.id IS NULL OR w.currency_id <> t.currency_id`},
		{Name: "every balance with its pending part equals the wallet's postings", Query: `SELECT count(*) FROM wallets w
			LEFT JOIN ` + posted + ` p ON p.wallet_id = w.id
			LEFT JOIN (SELECT wallet_id, sum(amount) AS amount FROM pending_balances GROUP BY wallet_id) q ON q.wallet_id = w.id
			WHERE w.balance + coalesce(q.amount, 0) <> coalesce(p.amount, 0)`},
		{Name: "the days of wallets with what is not counted yet equal the wallets' postings", Query: `SELECT count(*) FROM wallets w
			LEFT JOIN ` + posted + ` p ON p.wallet_id = w.id
			LEFT JOIN (SELECT wallet_id, sum(amount) AS amount FROM wallet_days GROUP BY wallet_id) d ON d.wallet_id = w.id
			LEFT JOIN (SELECT p.wallet_id, sum(p.amount) AS amount FROM transactions t JOIN postings p ON p.transaction_id = t.id
				WHERE t.xid >= coalesce((SELECT position FROM feeds WHERE name = 'wallet_days'), 0) GROUP BY p.wallet_id) f ON f.wallet_id = w.id
			WHERE coalesce(p.amount, 0) <> coalesce(d.amount, 0) + coalesce(f.amount, 0)`},
		{Name: "every posting has the time of its transaction", Query: `SELECT count(*) FROM postings p JOIN transactions t ON t.id = p.transaction_id WHERE p.created_at <> t.created_at`},
		{Name: "the balances of a currency sum to zero", Query: `SELECT count(*) FROM (SELECT 1 FROM wallets w
			LEFT JOIN (SELECT wallet_id, sum(amount) AS amount FROM pending_balances GROUP BY wallet_id) q ON q.wallet_id = w.id
			GROUP BY w.currency_id HAVING sum(w.balance + coalesce(q.amount, 0)) <> 0) bad`},
		{Name: "every movement is one transaction of two opposite postings", Query: `SELECT count(*) FROM wallet_movements m LEFT JOIN transactions t ON t.id = m.transaction_id
			WHERE m.transaction_id >= (SELECT archived_before()) AND (t.id IS NULL OR t.type NOT IN ('deposit', 'withdrawal') OR t.reverses_id IS DISTINCT FROM m.reverses_id OR t.created_at <> m.created_at
				OR (SELECT count(*) FROM postings p WHERE p.transaction_id = m.transaction_id
					AND (p.wallet_id, p.amount) IN ((m.wallet_id, m.amount), (m.counterpart_id, -m.amount))) <> 2
				OR (SELECT count(*) FROM postings p WHERE p.transaction_id = m.transaction_id) <> 2)`},
		{Name: "every credit limit is that of its last change", Query: `SELECT count(*) FROM wallets w
			JOIN LATERAL (SELECT new_limit FROM credit_limit_changes c WHERE c.wallet_id = w.id ORDER BY created_at DESC, id DESC LIMIT 1) c ON true
			WHERE c.new_limit <> w.credit_limit`},
		{Name: "every change of a credit limit begins with the limit before it", Query: `SELECT count(*) FROM (
			SELECT old_limit, lag(new_limit) OVER (PARTITION BY wallet_id ORDER BY created_at, id) AS before FROM credit_limit_changes) c WHERE before <> old_limit`},
		{Name: "every undo mirrors what it reverses", Query: `SELECT count(*) FROM transactions u LEFT JOIN transactions t ON t.id = u.reverses_id
			WHERE u.reverses_id >= (SELECT archived_before()) AND (t.id IS NULL OR t.type <> u.type OR t.amount <> -u.amount
				OR EXISTS (SELECT wallet_id, amount FROM postings WHERE transaction_id = t.id
					EXCEPT ALL SELECT wallet_id, -amount FROM postings WHERE transaction_id = u.id)
				OR EXISTS (SELECT wallet_id, -amount FROM postings WHERE transaction_id = u.id
					EXCEPT ALL SELECT wallet_id, amount FROM postings WHERE transaction_id = t.id))`},
	}
}

// Verify recomputes the books in one snapshot and returns every check; it changes nothing.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	return verification.Run(ctx, s.pg, verifications())
}
