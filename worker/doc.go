// Package worker runs tasks: it takes them from asynq's queues, decodes their arguments and calls one
// domain method for each. It has no logic of any domain.
//
// Invariants:
//   - A kind has exactly one handler, and Registry.Missing proves at the start that each has one.
//   - Every run is bounded by its kind's timeout and survives a panic of its handler.
//   - An error decides its own fate: one that the caller cannot heal by waiting (see permanent) ends the
//     task at once, every other is retried after tasks.RetryDelay, or later when the error asks for it.
//   - A worker that is killed uses up a retry of each task it was running, so that a task that always kills its
//     worker does so ever more rarely and ends in the archive.
//   - Payloads are never logged: kind, id and retry count are enough to find a task.
//
// Delivery is at least once, so handlers must be safe to run twice, also at the same time.
package worker
