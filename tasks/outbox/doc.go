// Package outbox carries tasks from a Postgres transaction to the queue: what is committed is enqueued,
// what is rolled back never was, and Redis being down delays tasks but loses none.
//
// How a task travels: EnqueueTx (or QueueInsert, in a batch of other statements) writes a row in the
// caller's transaction. After the commit the caller calls Notifier.Wake. A Relay, woken by that or by its
// poll, locks rows, enqueues them with the row's id as the task's id, deletes them and commits.
//
// Invariants:
//   - A row is deleted only in a transaction that began before its task was enqueued. A relay killed in
//     between leaves the row, and the next one enqueues it again under the same id: at least once.
//   - Any number of relays may run. SKIP LOCKED gives each its own rows, so there is no order between
//     tasks, only a tendency towards the order of writing.
//   - A row that cannot be enqueued never holds up the others, and is never deleted without a copy: it is
//     tried again later, and after maxAttempts kept in outbox_dead.
package outbox
