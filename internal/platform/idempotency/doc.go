// Package idempotency runs an operation once for each Idempotency-Key of a client. It owns the table idempotency_keys.
//
// A key is scoped to an entity and stands for the meaning of one request: the operation with its fields as the domain
// reads them. The order of JSON keys, white space and the spelling of an amount are not part of the meaning, so the
// domain computes it, not the transport. A repeat with the same meaning gets the stored answer; one with another
// meaning is refused with [ErrKeyReused].
//
// Invariant: a key is stored in the transaction that has the operation's effect, with what its answer is made from.
// So the effect exists exactly if its key is found, also when the answer to the commit was lost.
//
// An operation that moves money checks its key like this:
//
//	func (s *Service) Withdraw(ctx context.Context, w *Withdrawal) (*Receipt, bool, error) {
//		key, err := idempotency.KeyOf(w.EntityID, w.IdempotencyKey)
//		if err != nil {
//			return nil, false, err // ErrInvalidKey
//		}
//		defer s.keys.Lock(key)()
//		use := idempotency.Use{Key: key, Meaning: idempotency.Of("withdraw", w.WalletID.String(), idempotency.Decimal(w.Amount))}
//		return idempotency.Once(ctx, s.PG.Pool, use, s.receiptOf, func() (*Receipt, error) {
//			r := newReceipt(w)
//			err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
//				if err := s.withdrawTx(ctx, tx, w, r); err != nil {
//					return err
//				}
//				return use.StoreTx(ctx, tx, &idempotency.Answer{Response: r.ID[:]})
//			})
//			return r, err
//		})
//	}
//
// receiptOf makes the result of a repeat from the stored [Answer]. A transaction that serves many requests reads
// their keys with [QueueFind] and stores them with [QueueStore].
package idempotency
