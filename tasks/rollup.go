package tasks

// RollupAdvance adds the events that were committed since its last run to the daily totals, which reports read.
//
// Trigger: every 5 seconds. Repeating it is safe because the totals change in the transaction that moves the position of their
// feed. Queue ledger, 10 minutes: the first run after an upgrade counts all events. When every retry fails, reports say up to when they
// count, and the next tick counts the rest.
type RollupAdvance struct{}

// Kind names the task.
func (RollupAdvance) Kind() string { return "rollup.advance" }
