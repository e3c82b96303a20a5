package tasks

// LedgerFold adds pending amounts to the wallets' balances.
//
// Trigger: every 5 seconds. Repeating it is safe because a pending row is deleted by the statement that adds it.
// Queue ledger, 30 seconds. When every retry fails, balances stay exact (a read adds the pending amounts) and the
// next tick folds more.
type LedgerFold struct{}

// Kind names the task.
func (LedgerFold) Kind() string { return "ledger.fold" }

// LedgerDays adds committed postings to the sums of wallets by day.
//
// Trigger: every 5 seconds. Repeating it is safe because the sums change in the transaction that moves the position of their
// feed. Queue ledger, 5 minutes: the first run after an upgrade counts all postings. When every retry fails, balances of the past and
// statements stay exact (a read adds the postings since) but slower, and the next tick counts them.
type LedgerDays struct{}

// Kind names the task.
func (LedgerDays) Kind() string { return "ledger.days" }

// LedgerVerify proves that balances, postings and transactions agree.
//
// Trigger: nightly at 07:30 UTC. It only reads. Queue ledger, 15 minutes. When every retry fails, the
// failure is logged as an error and `banca verify` does the same by hand.
type LedgerVerify struct{}

// Kind names the task.
func (LedgerVerify) Kind() string { return "ledger.verify" }
