package tasks

// LedgerFold adds pending amounts to the wallets' balances.
//
// Trigger: every 5 seconds. Repeating it is safe because a pending row is deleted by the statement that adds it.
// Queue ledger, 30 seconds. When every retry fails, balances stay exact (a read adds the pending amounts) and the
// next tick folds more.
type LedgerFold struct{}

// Kind names the task.
func (LedgerFold) Kind() string { return "ledger.fold" }

// LedgerVerify proves that balances, postings and transactions agree.
//
// Trigger: nightly at 07:30 UTC. It only reads. Queue ledger, 15 minutes. When every retry fails, the
// failure is logged as an error and `banca verify` does the same by hand.
type LedgerVerify struct{}

// Kind names the task.
func (LedgerVerify) Kind() string { return "ledger.verify" }
