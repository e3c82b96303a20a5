// Package tasks names everything that is done in the background: one argument struct a kind, and one
// table that says how each kind is queued, retried and bounded. It imports nothing of ours, so that every
// domain may ask for work without knowing who does it.
//
// Invariants:
//   - A kind is written `domain.verb` and is permanent: tasks of an older release may still be queued.
//   - A payload holds ids and scalars only. What a task needs to know it reads when it runs, so that a
//     task that waited acts on the present and a queue viewer shows no personal data.
//   - Every handler may run twice, also at the same time; the queue only makes that rare. The guard is
//     always a unique key or a guarded UPDATE in Postgres.
//   - Every kind has retries, because a killed worker costs one, and a timeout in whole seconds, because
//     asynq stores no finer one.
package tasks
