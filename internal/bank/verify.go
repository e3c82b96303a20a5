package bank

import (
	"context"

	"banca/internal/platform/verification"
)

// Verify checks in one snapshot that payments, requests and postings agree. It changes nothing.
func (s *Service) Verify(ctx context.Context) ([]verification.Check, error) {
	return verification.Run(ctx, s.PG, verifications())
}

func verifications() []verification.Invariant {
	return []verification.Invariant{
		{Name: "every credited payment has a deposit of its amount to its wallet", Query: `SELECT count(*) FROM bank_payments p
			LEFT JOIN transactions t ON t.id = p.transaction_id LEFT JOIN wallet_postings o ON o.transaction_id = t.id AND o.wallet_id = p.wallet_id
			WHERE p.state IN ('credited', 'assigned', 'suspense') AND (p.transaction_id IS NULL OR p.transaction_id >= (SELECT archived_before()))
				AND (t.id IS NULL OR t.type <> 'deposit' OR t.amount <> p.amount OR o.amount IS DISTINCT FROM p.amount)`},
		{Name: "the event of every payment has the payment's answer", Query: `SELECT count(*) FROM bank_payments p JOIN bank_events e ON e.id = p.event_id
			WHERE p.answer <> e.answer`},
		{Name: "no deposit belongs to two payments", Query: `SELECT count(*) FROM (SELECT 1 FROM bank_payments WHERE transaction_id IS NOT NULL
			GROUP BY transaction_id HAVING count(*) > 1) bad`},
		{Name: "every paid request has a payment of its amount", Query: `SELECT count(*) FROM payment_requests r LEFT JOIN bank_payments p ON p.id = r.payment_id
			WHERE r.status = 'paid' AND (p.id IS NULL OR p.amount <> r.amount OR p.request_id IS DISTINCT FROM r.id OR p.wallet_id IS DISTINCT FROM r.wallet_id)`},
		{Name: "every payment for a request closed it", Query: `SELECT count(*) FROM bank_payments p LEFT JOIN payment_requests r ON r.id = p.request_id
			WHERE p.request_id IS NOT NULL AND r.payment_id IS DISTINCT FROM p.id`},
		{Name: "the balance of every suspense wallet is the sum of its payments", Query: `SELECT count(*) FROM (
			SELECT w.balance, coalesce((SELECT sum(p.amount) FROM bank_payments p WHERE p.wallet_id = w.id AND p.state = 'suspense'), 0) AS waiting
			FROM wallet_balances w WHERE w.kind = 'suspense') x WHERE balance <> waiting`},
	}
}
