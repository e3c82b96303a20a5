// Package tasks names all background work: one argument struct per kind, and one table of how each kind is queued,
// retried and bounded. It imports no other package of the module, so that every domain may enqueue a task of another
// domain.
//
// Invariants:
//   - A kind is written `domain.verb` and is permanent: tasks of an older release may still be queued.
//   - A payload holds ids and scalars only. A task reads everything else when it runs, so that it acts
//     on the current state and a queue viewer shows no personal data.
//   - Every handler may run twice, also concurrently; the queue only makes that rare. The guard is
//     always a unique key or a guarded UPDATE in Postgres.
//   - Every kind has retries, because a killed worker uses one, and a timeout in whole seconds, because
//     asynq stores no fractions.
package tasks
