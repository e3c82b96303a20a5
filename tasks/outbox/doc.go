// Package outbox carries tasks from a Postgres transaction to the queue: a committed task is enqueued, a rolled back
// one is not, and an outage of Redis delays tasks but loses none.
//
// Data flow: EnqueueTx (or QueueInsert, in a batch of other statements) writes a row in the caller's transaction.
// After the commit the caller calls Notifier.Wake. A Relay, woken by that or by its poll, locks rows, enqueues them
// with the row's id as the task's id, moves them to outbox_sent and commits. The worker that runs a task to success,
// or to its last failure, reports it to a Finisher, which deletes the row. Recovery.Sweep compares outbox_sent with
// the queue and puts lost tasks back into outbox: after FLUSHALL, a crash within the second that appendfsync allows,
// or a failover to a replica that lags.
//
// Invariants:
//   - A row leaves outbox only in a transaction that began before its task was enqueued. A relay killed in
//     between leaves the row, and the next one enqueues it again under the same id: at least once.
//   - A row leaves outbox_sent only when its task succeeded, or when the queue will not run it again (archived after its last
//     retry). It leaves before the queue deletes the archived task (Archive.Trim, or asynq's own bounds): a row without a
//     task is a lost task. A task that is run again from the archive has no row: while it waits, it is in Redis alone, and
//     Recovery.Sweep does not put it back. Handlers are idempotent, so enqueueing a task again is harmless.
//   - Any number of relays may run. SKIP LOCKED gives each its own rows, so tasks have no order, only a
//     tendency towards the order of writing.
//   - A row that cannot be enqueued never delays the others, and is never deleted without a copy: it is
//     retried later, and after maxAttempts moved to outbox_dead.
package outbox
